package words

// terminalWords are the names of columns, tables and figures in the reports of
// terminals, by their English and in the languages in which terminals write them.
// What is in the dictionary for other exports is not repeated. The words are folded
// when they are looked up.
var terminalWords = map[string][]string{
	"time":        {"시간", "tiempo", "日時", "时间", "時間", "الوقت"},
	"opentime":    {"진입시간", "진입일시", "hora de apertura", "heure d'ouverture", "ora di apertura", "orario di apertura", "horário de abertura", "hora de abertura", "čas otevření", "开仓时间", "建仓时间", "開倉時間", "オープン時間", "新規時間", "新規日時", "建玉日時", "вход", "وقت الفتح"},
	"position":    {"pozice", "持仓", "持倉", "仓位", "ポジション", "チケット", "الصفقة", "المركز"},
	"positions":   {"pozycje", "المراكز", "الصفقات المفتوحة سابقا"},
	"symbol":      {"тикер", "종목", "종목명", "종목코드", "交易对", "交易對", "交易品种", "交易品種", "品种", "銘柄", "通貨ペア", "الرمز", "symbole", "nástroj"},
	"type":        {"类型", "類型", "タイプ", "種類", "النوع"},
	"volume":      {"수량", "交易量", "手数", "数量", "ロット", "الحجم"},
	"price":       {"가격", "价位", "价格", "價格", "価格", "السعر"},
	"sl":          {"止损", "止損", "決済逆指値", "وقف الخسارة"},
	"tp":          {"止盈", "获利", "決済指値", "جني الأرباح"},
	"commission":  {"수수료", "手续费", "佣金", "手數料", "手数料", "العمولة", "corretagem", "commis"},
	"fee":         {"emolumentos", "gebühr", "gebühren", "tarifa", "cargo", "frais", "tariffa", "taxa", "плата", "комиссионный сбор", "сбор", "opłata", "poplatek", "费用", "費用", "手数料その他", "الرسوم"},
	"taxes":       {"impuestos", "steuern", "impostos", "imposte", "podatki", "налоги"},
	"swap":        {"库存费", "庫存費", "隔夜利息", "スワップ", "التبييت", "السواب", "r/o swap"},
	"profit":      {"손익", "beneficios", "盈利", "盈亏", "損益", "利益", "الربح", "trade p/l"},
	"deal":        {"geschäft", "transacción", "affare", "transação", "negócio", "oferta", "transakcja", "obchod", "成交", "約定", "صفقة"},
	"deals":       {"geschäfte", "trades", "transazioni", "affari", "operazioni", "transações", "negócios", "transakcje", "obchody", "الصفقات"},
	"order":       {"auftrag", "orden", "ordre", "ordine", "ordem", "ордер", "zlecenie", "objednávka", "příkaz", "订单", "訂單", "注文", "الأمر"},
	"orders":      {"ordres", "zlecenia", "objednávky", "příkazy", "الأوامر"},
	"direction":   {"dirección", "sens", "direzione", "direção", "kierunek", "směr", "趋势", "方向", "الاتجاه"},
	"state":       {"estado", "état", "stato", "состояние", "stan", "stav", "状态", "狀態", "ステータス", "状態", "الحالة"},
	"balance":     {"saldo", "kontostand", "solde", "bilancio", "баланс", "zůstatek", "结余", "餘額", "残高", "الرصيد"},
	"action":      {"acción", "aktion"},
	"marketpos":   {"pos. marché", "pos mercado", "pos. mercado", "marktpos."},
	"entrytime":   {"heure d'entrée", "hora entrada", "hora de entrada"},
	"exittime":    {"heure de sortie", "hora saída", "hora de salida"},
	"entryprice":  {"prix d'entrée", "preço entrada", "precio de entrada"},
	"exitprice":   {"prix de sortie", "preço saída", "precio de salida"},
	"qty":         {"qté", "qtd", "qtde", "ctd."},
	"quantity":    {"cantidad", "количество", "кол-во"},
	"comment":     {"kommentar", "comentario", "commentaire", "commento", "comentário", "комментарий", "komentarz", "komentář", "注释", "註釋", "コメント", "التعليق"},
	"marketprice": {"cena rynkowa", "tržní cena", "市价", "市场价格", "市場價格", "現在価格", "市場価格", "سعر السوق"},

	"datetime":           {"дата и время"},
	"tradedate":          {"成交日期", "发生日期", "約定日", "дата торгов", "체결일자", "체결일", "거래일자"},
	"exectime":           {"成交时间", "成交時間", "約定日時", "체결시간", "체결일시", "체결시각"},
	"realizedpnl":        {"実現損益", "已实现盈亏", "已實現盈虧", "실현손익"},
	"security":           {"valeur"},
	"securitycode":       {"证券代码", "股票代码", "代码", "銘柄コード", "код бумаги", "код инструмента"},
	"side":               {"сторона", "매매구분", "구분", "işlem", "买卖标志", "买卖方向", "买卖标记", "买卖类别", "交易类别", "买卖", "買賣", "操作", "売買", "売買区分", "операция"},
	"execprice":          {"체결가격", "체결가", "체결단가", "成交价格", "成交均价", "成交价", "約定単価", "約定価格", "約定レート"},
	"execquantity":       {"成交数量", "約定数量", "체결수량"},
	"buy":                {"买", "买入", "证券买入", "買", "買い", "買付", "купля", "largo", "acquisto", "acquistato", "acheté", "alış", "alım", "매수", "做多", "лонг", "longue", "comprado", "gekauft", "kupno", "nákup", "vétel", "cumpărare", "osto", "køb"},
	"sell":               {"卖", "卖出", "证券卖出", "売", "売り", "売付", "corto", "vendita", "venduto", "vendu", "satış", "satım", "매도", "做空", "шорт", "courte", "vendido", "verkauft", "sprzedaż", "prodej", "eladás", "vânzare", "myynti"},
	"in":                 {"新規", "진입"},
	"out":                {"決済", "청산"},
	"contract":           {"合约", "合約"},
	"closingdirection":   {"平仓方向", "平倉方向"},
	"cancelled":          {"storniert", "annulé", "annulée", "cancelada", "cancelado", "annullato", "geannuleerd", "anulowane", "отменен", "отменена", "已撤单", "已撤销"},
	"rejected":           {"abgelehnt", "rejeté", "rechazada", "rechazado", "rifiutato", "rejeitada", "odrzucone", "отклонен"},
	"placingtime":        {"platzierungszeit", "heure de placement", "hora de colocación"},
	"fillprice":          {"ausführungspreis", "prix d'exécution", "precio de ejecución", "prezzo di esecuzione", "preço de execução"},
	"openclose":          {"开平", "开平标志", "開平", "新規/決済", "新規決済区分"},
	"closedpnl":          {"平仓盈亏", "平倉盈虧"},
	"filled":             {"ausgeführt", "exécuté", "exécutée", "ejecutada", "ejecutado", "eseguito", "executada", "uitgevoerd", "zrealizowane", "исполнен", "исполнена", "已成交", "全部成交", "全部已成"},
	"totalfees":          {"合计费用", "费用合计"},
	"tradeid":            {"成交编号", "成交編號", "номер сделки"},
	"openexecutiontime":  {"新規約定日時"},
	"openexecutionrate":  {"新規約定値"},
	"closeexecutiontime": {"決済約定日時"},
	"closeexecutionrate": {"決済約定値"},
	"closingpl":          {"決済損益"},
	"swappl":             {"スワップ損益"},
	"positionnumber":     {"ポジション番号"},
	"lots":               {"lot数"},

	"filledqty":    {"cantidad ejecutada"},
	"avgfillprice": {"precio medio de ejecución"},
	"updatetime":   {"fecha ult. actualización"},
	"orderid":      {"id de orden"},

	"openingdirection": {"dirección de apertura"},
	"closingtime":      {"hora de cierre"},
	"closingprice":     {"precio de cierre"},
	"closingquantity":  {"cantidad de cierre"},
	"net":              {"neto"},
	"label":            {"etiqueta"},
	"instrument":       {"instrumento"},
	"openvolume":       {"开仓量"},
	"closevolume":      {"平仓量"},
	"openprice":        {"진입가격", "진입가", "开仓均价", "開倉均價", "开仓价", "新規価格", "新規レート"},
	"closeprice":       {"청산가격", "청산가", "平仓均价", "平倉均價", "平仓价", "決済価格", "決済レート"},
	"closetime":        {"청산시간", "청산일시", "平仓时间", "平倉時間", "決済日時"},
	"entry":            {"entrada", "einstieg"},
	"exit":             {"salida", "saída", "ausstieg"},

	"openpositions": {"otwarte pozycje", "pozycje otwarte", "otevřené pozice", "未平仓头寸", "未平倉頭寸", "开仓", "保有ポジション", "オープンポジション", "المراكز المفتوحة", "الصفقات المفتوحة"},
	"workingorders": {"aktive aufträge", "laufende aufträge", "órdenes activas", "ordres actifs", "ordres en cours", "ordini attivi", "ordens ativas", "рабочие ордера", "отложенные ордера", "aktywne zlecenia", "aktivní příkazy", "挂单", "有效订单", "待機注文", "الأوامر المعلقة"},
	"results":       {"podsumowanie", "wyniki", "výsledky", "结果", "結果", "النتائج"},
	"summary":       {"zusammenfassung", "resumen", "résumé", "riepilogo", "resumo", "итоги", "souhrn", "概要", "サマリー", "ملخص"},

	"account":        {"konto", "cuenta", "conta", "compte", "счет", "rachunek", "účet", "账户", "账号", "帳戶", "口座", "الحساب", "a/c no"},
	"basecurrency":   {"basiswährung", "devise de base", "divisa base", "moneda base", "valuta di base", "moeda base", "базовая валюта", "基础货币", "基準通貨"},
	"currency":       {"währung", "waehrung", "devise", "divisa", "moeda", "valuta", "валюта", "waluta", "měna", "货币", "通貨", "العملة"},
	"cumnetprofit":   {"acu lucro líquido", "bénéfice net cumulé"},
	"tradenumber":    {"núm. neg.", "numéro d'ordre"},
	"totalnetprofit": {"nettogewinn gesamt", "gesamtnettogewinn", "gesamter nettoprofit", "beneficio neto total", "bénéfice net total", "profit total net", "profitto netto totale", "profitto totale netto", "lucro líquido total", "чистая прибыль", "общая чистая прибыль", "całkowity zysk netto", "zysk netto", "celkový čistý zisk", "总净盈利", "總淨盈利", "純利益合計", "総純利益", "純利益", "إجمالي صافي الربح"},
	"totaltrades":    {"gesamtanzahl trades", "total de transacciones", "total de operaciones", "nombre total de trades", "trade totali", "total de negociações", "total de trades", "всего трейдов", "suma transakcji", "celkem obchodů", "交易总计", "總交易", "取引数", "総取引数", "إجمالي الصفقات"},
}

// English gives the English of words in other languages, and other words of what has several in
// English. Keys and values are folded.
var English = collectWords()

func collectWords() map[string]string {
	all := make(map[string]string, len(dictionary))
	for english, words := range terminalWords {
		for _, word := range words {
			all[Fold(word)] = english
		}
	}
	for word, english := range dictionary {
		all[word] = english
	}
	return all
}

// dictionary gives the English of folded column names, sections and words for
// sides in the exports of platforms and of sites that read their accounts.
var dictionary = map[string]string{
	// French
	"position": "position", "prixdumarche": "marketprice", "positionsouvertes": "openpositions", "ordres": "orders", "resultats": "results",
	"ouvrir": "open", "ouvert": "open", "ferme": "close", "ouverture": "open", "fermeture": "close", "fermer": "close", "symbole": "symbol", "prix": "price", "duree": "duration",
	"dureedutradeensecondes": "tradedurationinseconds", "benefice": "profit", "echange": "swap", "heuredouverture": "opentime", "heuredefermeture": "closetime", "heuredecloture": "closetime", "cloture": "close", "prixdouverture": "openprice", "prixdecloture": "closeprice", "prixdefermeture": "closeprice", "taille": "size", "achat": "buy", "acheter": "buy", "vente": "sell", "vendre": "sell", "heure": "time",
	// German
	"offnen": "open", "geoffnet": "open", "geschlossen": "close", "eroffnung": "open", "schliessen": "close", "schließen": "close", "schließung": "close", "handelsdauerinsekunden": "tradedurationinseconds",
	"zeit": "time", "typ": "type", "volumen": "volume", "menge": "volume", "preis": "price", "kommission": "commission", "kommissionen": "commissions", "gewinn": "profit",
	"marktpreis": "marketprice", "richtung": "direction", "positionen": "positions", "offenepositionen": "openpositions", "auftrage": "orders", "ergebnisse": "results",
	"kauf": "buy", "kaufen": "buy", "verkauf": "sell", "verkaufen": "sell", "eroffnungszeit": "opentime", "schlusszeit": "closetime", "eroffnungspreis": "openprice", "schlusspreis": "closeprice",
	"schließzeit": "closetime", "schliesszeit": "closetime", "schließungszeit": "closetime", "eroffnungskurs": "openprice", "schließkurs": "closeprice", "schließpreis": "closeprice",
	"einstiegszeit": "entrytime", "ausstiegszeit": "exittime", "einstiegspreis": "entryprice", "ausstiegspreis": "exitprice", "einstiegskurs": "entryprice", "ausstiegskurs": "exitprice", "nettogewinn": "netprofit",
	// Spanish and Portuguese
	"hora": "time", "fechahora": "time", "datahora": "time", "horario": "time", "posicion": "position", "posicao": "position", "simbolo": "symbol", "ativo": "symbol", "tipo": "type", "lado": "side",
	"volume": "volume", "precio": "price", "preco": "price", "comissao": "commission", "comisiones": "commissions", "beneficio": "profit", "lucro": "profit",
	"comision": "commission", //nolint:misspell // Spanish
	"compra":   "buy", "comprar": "buy", "comprada": "buy", "vendida": "sell", "venta": "sell", "venda": "sell", "vender": "sell", "apertura": "open", "abertura": "open", "fechamento": "close", "fechar": "close", "abrir": "open", "cierre": "close", "cerrar": "close",
	"preciodemercado": "marketprice", "precodemercado": "marketprice", "posiciones": "positions", "posicoes": "positions", "ordenes": "orders", "ordens": "orders", "transacciones": "deals", "transacoes": "deals", "resultados": "results",
	"posicionesabiertas": "openpositions", "posicoesabertas": "openpositions", "duraciondelaoperacionensegundos": "tradedurationinseconds",
	// Italian
	"orario": "time", "ora": "time", "posizione": "position", "prezzo": "price", "commissione": "commission", "commissioni": "commissions", "profitto": "profit", "aperto": "open", "chiuso": "close", "chiusura": "close", "prezzodimercato": "marketprice", "ordini": "orders", "posizioniaperte": "openpositions", "risultati": "results", "posizioni": "positions",
	// Polish and Czech
	"czas": "time", "pozycja": "position", "wolumen": "volume", "cena": "price", "prowizja": "commission", "zysk": "profit", "otwarcie": "open", "czasotwarcia": "opentime", "czaszamkniecia": "closetime", "cenaotwarcia": "openprice", "cenazamkniecia": "closeprice", "zamkniecie": "close",
	"cas": "time", "pozice": "position", "objem": "volume", "komise": "commission", "zisk": "profit", "otevreni": "open", "otevreno": "open", "zavreno": "close", "uzavreni": "close",
	// Swedish, Danish, Norwegian and Dutch
	"riktning": "direction", "retning": "direction", "kop": "buy", "salj": "sell", "kjop": "buy", "selg": "sell", "salg": "sell", "volym": "volume", "oppningstid": "opentime", "oppningskurs": "openprice", "oppningspris": "openprice", "stangningstid": "closetime", "stangningskurs": "closeprice", "stangningspris": "closeprice", "courtage": "commission", "resultat": "profit",
	"koop": "buy", "aankoop": "buy", "verkoop": "sell", "richting": "direction", "openingstijd": "opentime", "sluitingstijd": "closetime", "openingskoers": "openprice", "sluitingskoers": "closeprice", "slotkoers": "closeprice", "commissie": "commission", "winst": "profit",
	// Russian
	"время": "time", "позиция": "position", "символ": "symbol", "инструмент": "symbol", "тип": "type", "объем": "volume", "цена": "price", "комиссия": "commission", "своп": "swap", "прибыль": "profit",
	"позиции": "positions", "ордера": "orders", "сделки": "deals", "открытыепозиции": "openpositions", "результаты": "results", "направление": "direction", "сделка": "deal",
	"рыночнаяцена": "marketprice", "покупка": "buy", "продажа": "sell", "времяоткрытия": "opentime", "времязакрытия": "closetime", "ценаоткрытия": "openprice", "ценазакрытия": "closeprice",
}
