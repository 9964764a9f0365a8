package words

import (
	"slices"
	"strings"
	"unicode"
)

// part is what one word of a column's name says.
type part string

// The parts of names, by the words for them in the languages of exports. The words are folded when they are looked up. A word
// that several languages use for the same thing is here once.
var partWords = map[part]string{
	"open": "open opening opened entry eröffnung öffnung einstieg ouverture entrée apertura abertura entrada ingresso otwarcia otwarcie otevření открытия açılış öppning åpning åbning",
	"close": "close closing closed exit schluss schließ schliess schließung schließungs ausstieg clôture fermeture sortie cierre salida fechamento encerramento saída chiusura uscita " +
		"sluiting slot zamknięcia zamknięcie uzavření закрытия kapanış stängning lukning lukking",
	"time":       "time timestamp zeit uhrzeit zeitpunkt heure hora ora orario horario horário tijd tijdstip czas godzina čas время saat saati zaman zamanı tid tidspunkt",
	"date":       "date datum fecha data дата tarih tarihi dato",
	"price":      "price px rate level niveau nivel livello kurs preis cours prix precio cotización preço cotação prezzo quotazione koers prijs cena kurz цена курс fiyat fiyatı pris",
	"side":       "side seite lado direction richtung sens sentido dirección direção direzione richting kierunek směr направление yön riktning retning",
	"volume":     "volume vol quantity qty menge stück stückzahl stk lote lotes lotti lotto loty kontrakte contratti contratos contrats quantité cantidad quantidade quantità volumen wolumen ilość množství objem объем количество miktar adet aantal antal hoeveelheid",
	"profit":     "profit pnl gewinn ergebnis bénéfice résultat ganancia beneficio resultado lucro profitto utile risultato winst resultaat zysk wynik zisk výsledek прибыль результат kâr kazanç vinst resultat gevinst",
	"gain":       "gain gains",
	"loss":       "loss verlust perte pérdida perda perdita verlies strata ztráta убыток zarar förlust tab",
	"net":        "net netto neto nette netta líquido líquida чистая чистый čistý",
	"gross":      "gross brutto brut brute bruto bruta lordo lorda",
	"commission": "commission commissions fee fees kosten kommission kommissionen gebühr gebühren provision frais comisión comisiones comissão comissões corretagem commissione commissioni commissie prowizja opłata opłaty poplatek poplatky provize комиссия komisyon masraf kurtage avgift gebyr costi costes custos",
	"swap":       "swap swaps overnight übernacht nuit noche notte finanzierung finanzierungskosten financement financiación financiamento finanziamento своп",
	"symbol":     "symbol instrument marché mercado mercato markt strumento instrumento activo ativo wertpapier basiswert titre titolo инструмент sembol sözleşme enstrüman nástroj symbole símbolo simbolo",
	"exec":       "exec execution executed fill filled ausführung ejecución esecuzione execução exécution uitvoering wykonania исполнения",
	"number":     "nr num numéro número numero nummer number référence referenz numer номер",
	"id":         "id",
	"position":   "position positions posición posição posizione positie pozycja pozycji pozice позиция позиции pozisyon",
	"order":      "order auftrag orden ordre ordine ordem zlecenie zlecenia ордер ордера заявка заявки emir",
	"trade":      "trade transaktion transacción transação transazione transakcja transakcji сделка сделки işlem operación operação operazione",
	"type":       "type typ tipo rodzaj тип",
	"currency":   "currency währung devise divisa moeda valuta",
	"account":    "account konto cuenta conta compte conto rekening rachunek účet счет hesap",
	"average":    "avg average moyen moyenne durchschnittlicher durchschnitt promedio medio médio gemiddelde средняя średnia",
	"of":         "of the de du d di des la le l el da do dell della del der die das van в na и and und e et y ve i тс unit unitario unitaire unitário in брокера биржи",
}

// composed are the names that parts make, in alphabetical order of the parts without what joins them. A name of which one word
// is not known has none: "profit in pips" is no profit.
var composed = map[string]string{
	"open time": "opentime", "date open": "opendate", "date open time": "opendatetime", "open price": "openprice", "open side": "openingdirection",
	"close time": "closetime", "close date": "closedate", "close date time": "closedatetime", "close price": "closeprice", "close side": "closingdirection",
	"close volume": "closedquantity", "date time": "datetime",
	"exec time": "exectime", "date exec": "executiondate", "date exec time": "exectime", "exec price": "execprice", "exec volume": "execquantity",
	"time trade": "tradetime", "date trade": "tradedate", "price trade": "tradeprice", "trade volume": "tradequantity",
	"time": "time", "date": "date", "price": "price", "side": "side", "volume": "quantity", "symbol": "symbol", "account": "account",
	"profit": "profit", "loss profit": "profit", "net": "net", "net profit": "netprofit", "loss net profit": "netprofit", "gain net": "netprofit", "account currency profit": "profit", "gross": "gross", "gross profit": "grossprofit", "gross loss profit": "grossprofit",
	"average open": "openprice", "average close": "closeprice", "type": "type", "trade type": "tradetype", "position type": "positiontype", "side trade": "tradeside", "position side": "positionside",
	"commission": "commission", "swap": "swap", "commission swap": "swap", "commission open": "openingcommission", "close commission": "closingcommission", "commission trade": "commission",
	"id position": "positionid", "id order": "orderid", "id trade": "tradeid", "account number": "account", "account id": "account",
	"number position": "positionid", "number order": "orderid", "number trade": "tradenumber",
}

var parts = collectParts()

func collectParts() map[string]part {
	all := map[string]part{}
	for p, text := range partWords {
		for word := range strings.FieldsSeq(text) {
			all[Fold(word)] = p
		}
	}
	return all
}

// Compose gives the English of a column's name by its words, such as "opentime" for "Heure d'ouverture", "Eröffnungszeit" and
// "Ora apertura". It is empty if a word is not known.
func Compose(name string) string {
	if len(name) > MaxHeadingBytes || strings.ContainsAny(name, "0123456789") { // which is data
		return ""
	}
	var found []string
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) }) {
		for _, p := range partsOf(Fold(word)) {
			if p == "" {
				return ""
			}
			if s := string(p); p != "of" && !slices.Contains(found, s) {
				found = append(found, s)
			}
		}
	}
	if slices.Contains(found, "price") {
		found = slices.DeleteFunc(found, func(s string) bool { return s == "average" })
	}
	slices.Sort(found)
	return composed[strings.Join(found, " ")]
}

// partsOf returns what a folded word says: one part, or those of a compound such as "eroffnungskurs"; an empty part for others.
func partsOf(word string) []part {
	if p, ok := parts[word]; ok {
		return []part{p}
	}
	const shortest = 3
	for i := range word {
		first, known := parts[word[:i]]
		if !known {
			first, known = parts[strings.TrimSuffix(word[:i], "s")]
		}
		if second, ok := parts[word[i:]]; ok && known && i >= shortest && len(word)-i >= shortest {
			return []part{first, second}
		}
	}
	return []part{""}
}

// Translate gives the English of a column's name in another language, by the name as a whole or by its words. It is empty for
// others.
func Translate(name string) string {
	if english, ok := English[Fold(name)]; ok {
		return english
	}
	return Compose(name)
}
