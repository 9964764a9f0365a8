package statement_test

import (
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// language is how a platform names things in a language, by how the example does.
type language struct {
	name  string
	words map[string]string
	page  encoding.Encoding // in which programs write the language without Unicode
}

// newLanguage takes pairs of lists: words of the example, and those of the language.
func newLanguage(name string, page encoding.Encoding, lists ...string) language {
	l := language{name, map[string]string{}, page}
	for pair := range slices.Chunk(lists, 2) {
		from, to := strings.Split(pair[0], "|"), strings.Split(pair[1], "|")
		if len(from) != len(to) {
			panic(name + ": " + pair[1])
		}
		for i := range from {
			l.words[from[i]] = to[i]
		}
	}
	return l
}

// languagesOf are the languages in which a platform is known to write an example, beside that of
// the example. The statements of MT4 that are known are in English.
func languagesOf(file string) []language {
	const (
		metrix = "Open|Type|Volume|Symbol|Price|Close"
		trades = "Trade number|Instrument|Account|Market pos.|Qty|Entry price|Exit price|Entry time|Exit time|Profit|Cum. net profit|Commission"
	)
	switch file {
	case "mt5_report.csv", "mt5_report.html", "mt5_deals.tsv":
		return mt5Languages()
	case "ftmo_metrix.csv":
		return []language{
			newLanguage("German", charmap.Windows1252, metrix, "Geöffnet|Typ|Volumen|Symbol|Preis|Geschlossen"),
			newLanguage("Portuguese", charmap.Windows1252, metrix, "Abertura|Tipo|Volume|Símbolo|Preço|Fechamento"),
			newLanguage("Italian", charmap.Windows1252, metrix, "Aperto|Tipo|Volume|Simbolo|Prezzo|Chiuso"),
		}
	case "xtb_xstation.csv":
		return []language{newLanguage("Polish", charmap.Windows1250, "Open time|Symbol", "Czas otwarcia|Symbol")}
	case "ninjatrader.csv":
		return []language{
			newLanguage("French", charmap.Windows1252, trades, "Numéro d’ordre|Instrument|Compte|Pos. marché.|Qté|Prix d'entrée|Prix de sortie|Heure d'entrée|Heure de sortie|Profit|Bénéfice net cumulé|Commission"),
			newLanguage("Portuguese", charmap.Windows1252, trades, "Núm. Neg.|Ativo|Conta|Pos mercado.|Qtd|Preço entrada|Preço saída|Hora entrada|Hora saída|Profit|Acu lucro líquido|Corretagem", "Long|Short", "Comprada|Vendida"),
		}
	case "atas.csv":
		return []language{newLanguage("Chinese", simplifiedchinese.GBK,
			"Account|Instrument|Open time|Open price|Open volume|Close time|Close price|Close volume|Price PnL|Profit (ticks)|Comment", "账户|品种|开仓时间|开仓价|开仓量|平仓时间|平仓价|平仓量|价格盈亏|利润(ticks)|备注")}
	case "ninjatrader_executions.csv":
		return []language{newLanguage("Spanish", charmap.Windows1252,
			"Instrument|Action|Quantity|Price|Time|Account display name|Connection", "Instrumento|Acción|Cantidad|Precio|Tiempo|Cuenta|Conexión",
			"Buy|Sell|Entry|Exit", "Comprar|Vender|Entrada|Salida")}
	case "ctrader_history.csv": // the columns of commissions and swaps are not known in Spanish
		return []language{newLanguage("Spanish", charmap.Windows1252,
			"Symbol|Opening Direction|Opening Time (UTC+2)|Closing Time (UTC+2)|Entry price|Closing Price|Closing Quantity|Net USD|Balance USD|Lots",
			"Símbolo|Dirección de apertura|Hora de apertura (UTC+2)|Hora de cierre (UTC+2)|Precio de entrada|Precio de cierre|Cantidad de Cierre|USD neto|Saldo USD|Lotes")}
	case "ibkr_activity.csv":
		return []language{newLanguage("German", charmap.Windows1252,
			"Account Information|Account|Base Currency", "Kontoinformation|Konto|Basiswährung",
			"Asset Category|Currency|Symbol|Date/Time|Quantity|T. Price|C. Price|Proceeds|Comm/Fee|Basis|Realized P/L|MTM P/L|Code",
			"Vermögenswertkategorie|Währung|Symbol|Datum/Zeit|Menge|T.-Kurs|Schlusskurs|Erlös|Prov./Gebühr|Basis|Realisierter G&V|MTM G&V|Code")}
	}
	return nil
}

// mt5Languages are those of the terminal of MT5. Sides are English in all.
func mt5Languages() []language {
	in := func(name string, page encoding.Encoding, columns, orders, deals, market, titles, figures string) language {
		return newLanguage(name, page,
			"Time|Position|Symbol|Type|Volume|Price|S / L|T / P|Time|Price|Commission|Swap|Profit", columns,
			"Open Time|Order|State|Comment", orders, "Deal|Direction|Fee|Balance", deals, "Market Price", market,
			"Positions|Orders|Deals|Open Positions|Working Orders|Results", titles, "Total Net Profit|Total Trades|Account", figures)
	}
	return []language{
		in("German", charmap.Windows1252, "Zeit|Position|Symbol|Typ|Volumen|Preis|S / L|T / P|Zeit|Preis|Kommission|Swap|Gewinn", "Eröffnungszeit|Auftrag|Status|Kommentar", "Geschäft|Richtung|Gebühr|Saldo", "Marktpreis", "Positionen|Aufträge|Geschäfte|Offene Positionen|Aktive Aufträge|Ergebnisse", "Gesamtnettogewinn|Gesamtanzahl Trades|Konto"),
		in("Spanish", charmap.Windows1252, "Fecha/Hora|Posición|Símbolo|Tipo|Volumen|Precio|S / L|T / P|Fecha/Hora|Precio|Comisión|Swap|Beneficio", "Fecha/Hora de apertura|Orden|Estado|Comentario", "Transacción|Dirección|Tarifa|Saldo", "Precio de mercado", "Posiciones|Órdenes|Transacciones|Posiciones abiertas|Órdenes activas|Resultados", "Beneficio Neto Total|Total de transacciones|Cuenta"),
		in("French", charmap.Windows1252, "Heure|Position|Symbole|Type|Volume|Prix|S / L|T / P|Heure|Prix|Commission|Echange|Profit", "Heure d'ouverture|Ordre|État|Commentaire", "Transaction|Sens|Frais|Solde", "Prix du marché", "Positions|Ordres|Transactions|Positions ouvertes|Ordres en cours|Résultats", "Bénéfice net total|Nombre total de trades|Compte"),
		in("Italian", charmap.Windows1252, "Ora|Posizione|Simbolo|Tipo|Volume |Prezzo|S / L|T / P|Ora|Prezzo|Commissioni|Swap |Profitto", "Orario di apertura|Ordine|Stato|Commento", "Affare|Direzione|Tariffa|Saldo", "Prezzo di mercato", "Posizioni|Ordini|Affari|Posizioni aperte|Ordini attivi|Risultati", "Profitto netto totale|Trade totali|Conto"),
		in("Portuguese", charmap.Windows1252, "Horário|Posição|Ativo|Tipo|Volume|Preço|S / L|T / P|Horário|Preço|Comissão|Swap|Lucro", "Hora de abertura|Ordem|Estado|Comentário", "Transação|Direção|Taxa|Saldo", "Preço de mercado", "Posições|Ordens|Transações|Posições abertas|Ordens ativas|Resultados", "Lucro Líquido Total|Total de negociações|Conta"),
		in("Russian", charmap.Windows1251, "Время|Позиция|Символ|Тип|Объем|Цена|S / L|T / P|Время|Цена|Комиссия|Своп|Прибыль", "Время открытия|Ордер|Состояние|Комментарий", "Сделка|Направление|Плата|Баланс", "Рыночная цена", "Позиции|Ордера|Сделки|Открытые позиции|Рабочие ордера|Результаты", "Чистая прибыль|Всего трейдов|Счет"),
		in("Polish", charmap.Windows1250, "Czas|Pozycja|Symbol|Typ|Wolumen|Cena|S / L|T / P|Czas|Cena|Prowizja|Swap|Zysk", "Czas otwarcia|Zlecenie|Stan|Komentarz", "Transakcja|Kierunek|Opłata|Saldo", "Cena rynkowa", "Pozycje|Zlecenia|Transakcje|Otwarte pozycje|Aktywne zlecenia|Wyniki", "Całkowity zysk netto|Suma transakcji|Rachunek"),
		in("Czech", charmap.Windows1250, "Čas|Pozice|Symbol|Typ|Objem|Cena|S / L|T / P|Čas|Cena|Komise|Swap|Zisk", "Čas otevření|Příkaz|Stav|Komentář", "Obchod|Směr|Poplatek|Zůstatek", "Tržní cena", "Pozice|Příkazy|Obchody|Otevřené pozice|Aktivní příkazy|Výsledky", "Celkový čistý zisk|Celkem obchodů|Účet"),
		in("Chinese", simplifiedchinese.GBK, "时间|持仓|交易品种|类型|交易量|价位|止损|止盈|时间|价位|手续费|库存费|盈利", "开仓时间|订单|状态|注释", "成交|趋势|费用|结余", "市价", "持仓|订单|成交|未平仓头寸|挂单|结果", "总净盈利|交易总计|账户"),
		in("Japanese", japanese.ShiftJIS, "時間|ポジション|銘柄|タイプ|数量|価格|決済逆指値(S/L)|決済指値(T/P)|時間|価格|手数料|スワップ|損益", "オープン時間|注文|状態|コメント", "約定|方向|費用|残高", "市場価格", "ポジション|注文|約定|保有ポジション|待機注文|結果", "総純利益|総取引数|口座"),
		in("Arabic", charmap.Windows1256, "الوقت|الصفقة|الرمز|النوع|الحجم|السعر|S / L|T / P|الوقت|السعر|العمولة|السواب|الربح", "وقت الفتح|الأمر|الحالة|التعليق", "صفقة|الاتجاه|الرسوم|الرصيد", "سعر السوق", "المراكز|الأوامر|الصفقات|المراكز المفتوحة|الأوامر المعلقة|النتائج", "إجمالي صافي الربح|إجمالي الصفقات|الحساب"),
		// In a language with no known words, the tables are recognized by their form.
		in("Vietnamese", charmap.Windows1258, "Thời gian|Vị thế|Mã|Loại|Khối lượng|Giá|Dừng lỗ|Chốt lời|Thời gian|Giá|Hoa hồng|Phí qua đêm|Lợi nhuận", "Giờ mở|Lệnh|Trạng thái|Chú thích", "Giao dịch|Hướng|Phí|Số dư", "Giá thị trường", "Các vị thế|Các lệnh|Các giao dịch|Vị thế đang mở|Lệnh chờ|Kết quả", "Total Net Profit|Total Trades|Tài khoản"),
	}
}
