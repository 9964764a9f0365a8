package firm

import (
	"strconv"
	"strings"
)

// region is where a group of made-up people comes from.
type region struct {
	country string // ISO 3166-1 alpha-2
	dialing string // E.164 prefix up to the subscriber's digits
	digits  int    // subscriber digits that follow
	names   int    // index into nameSets
}

// Numbers are in ranges that are reserved for fiction if there are such ranges,
// otherwise in blocks of zeros that no operator assigns.
var regions = [...]region{
	{"GB", "+447700900", 3, 0},
	{"US", "+120255501", 2, 0},
	{"CA", "+161355501", 2, 0},
	{"AU", "+6149157", 4, 0},
	{"DE", "+4915100000", 4, 1},
	{"AT", "+4366000000", 4, 1},
	{"NL", "+316000000", 2, 1},
	{"SE", "+467017406", 2, 1},
	{"FR", "+33639980", 3, 2},
	{"ES", "+346000000", 2, 2},
	{"IT", "+3932000000", 3, 2},
	{"BR", "+551190000", 4, 2},
	{"PL", "+486000000", 2, 3},
	{"CZ", "+4206000000", 2, 3},
	{"RO", "+407000000", 2, 3},
	{"IN", "+9190000000", 2, 4},
	{"PK", "+9230000000", 2, 4},
	{"AE", "+97150000", 4, 4},
	{"NG", "+2348000000", 3, 5},
	{"ZA", "+276000000", 2, 5},
	{"KE", "+254700000", 3, 5},
	{"JP", "+81900000", 4, 6},
	{"VN", "+84900000", 3, 6},
	{"MY", "+60100000", 3, 6},
}

var regionWeights = []int{12, 14, 5, 4, 9, 2, 4, 2, 7, 5, 6, 6, 5, 2, 3, 10, 5, 6, 7, 5, 3, 2, 5, 3}

var nameSets = [...]struct{ first, last []string }{
	{
		strings.Fields("Oliver Amelia George Isla Harry Ava Jack Emily Noah Sophia Liam Grace Ethan Chloe Mason Ruby James Ella Lucas Hannah"),
		strings.Fields("Smith Jones Taylor Brown Walker Wright Robinson Thompson White Hughes Edwards Green Hall O'Connor Clarke Campbell Mitchell Parker Cook Bailey"),
	},
	{
		strings.Fields("Lukas Jürgen Anna Björn Sophie Felix Jana Maximilian Lena Sören Katharina Daan Femke Elias Mila Paul Greta Jonas Åsa Emma"),
		strings.Fields("Müller Schmidt Weber Fischer Schröder Becker Köhler Jansen Bakker Lindström Svensson Wagner Groß Hoffmann Meijer Visser Bauer Huber Nilsson Vogel"),
	},
	{
		strings.Fields("José María Lucas Chloé Hugo Léa Mateo Lucía João Beatriz Marco Giulia Antoine Inês Diego Valentina Luca Camila Théo Sofia"),
		strings.Fields("García Fernández Martin Bernard Silva Santos Rossi Ferrari López Dubois Moreau Oliveira Souza Bianchi Ricci Sánchez Pérez Lefèvre Costa Romano"),
	},
	{
		strings.Fields("Łukasz Zofia Jakub Hanna Tomáš Eliška Andrei Ioana Piotr Agnieszka Jan Tereza Mihai Elena Wojciech Maja Ondřej Klára Ștefan Ana"),
		strings.Fields("Nowak Kowalski Wiśniewski Wójcik Novák Svoboda Dvořák Černý Popescu Ionescu Dumitru Kamiński Zieliński Stan Procházka Kučera Rusu Mazur Krawczyk Radu"),
	},
	{
		strings.Fields("Aarav Priya Rohan Ananya Vikram Neha Omar Fatima Bilal Ayesha Arjun Kavya Hassan Zainab Rahul Meera Yusuf Layla Imran Sana"),
		strings.Fields("Sharma Patel Singh Khan Gupta Reddy Ahmed Malik Iyer Mehta Hussain Qureshi Nair Das Al-Farsi Rahman Chaudhry Verma Joshi Siddiqui"),
	},
	{
		strings.Fields("Chinedu Amara Tunde Ngozi Thabo Naledi Kamau Wanjiru Emeka Folake Sipho Lerato Otieno Achieng Ibrahim Zanele Babatunde Adaeze Mandla Njeri"),
		strings.Fields("Okafor Adeyemi Nkosi Dlamini Mwangi Kariuki Balogun Eze Mokoena Ndlovu Odhiambo Bello Abubakar Botha Kiptoo Okonkwo Zulu Njoroge Naidoo Lawal"),
	},
	{
		strings.Fields("Haruto Yui Sota Aoi Minh Linh Duc Thao Wei Mei Ahmad Nurul Ren Hina Anh Hoa Jun Siti Kenji Lan"),
		strings.Fields("Sato Suzuki Tanaka Watanabe Nguyen Tran Pham Le Tan Lim Lee Wong Ito Yamamoto Hoang Vu Ismail Abdullah Kobayashi Dang"),
	},
}

// foldings spell the letters of the name sets in ASCII, for e-mail addresses.
var foldings = strings.NewReplacer("ü", "ue", "ö", "oe", "ß", "ss", "å", "a", "é", "e", "í", "i", "ê", "e", "è", "e",
	"ã", "a", "á", "a", "ł", "l", "ś", "s", "š", "s", "ř", "r", "ș", "s", "ó", "o", "ń", "n", "č", "c", "ý", "y",
	"ú", "u", "ů", "u", "ñ", "n", "'", "", "-", "")

var mailHosts = [...]string{"example.com", "example.net", "example.org"}

// fillPerson fills the fields of a trader that never change from its number.
func (w *World) fillPerson(ref uint32, t *Trader) {
	d := newDice(w.seed, forTrader, uint64(ref))
	reg := &regions[d.pickWeighted(regionWeights)]
	names := &nameSets[reg.names]
	t.FirstName = names.first[d.below(len(names.first))]
	t.LastName = names.last[d.below(len(names.last))]
	t.Country = reg.country
	if d.hitsPercent(97) {
		t.Email = foldings.Replace(strings.ToLower(t.FirstName)) + "." + foldings.Replace(strings.ToLower(t.LastName)) +
			strconv.Itoa(int(ref)) + "@" + mailHosts[d.below(len(mailHosts))]
	}
	if d.hitsPercent(85) {
		t.Phone = reg.dialing + randomDigits(&d, reg.digits)
	}
	if d.hitsPercent(8) {
		t.Tags = append(t.Tags, "vip")
	}
	if d.hitsPercent(12) {
		t.Tags = append(t.Tags, "affiliate")
	}
	sources := [...]string{"organic", "referral", "campaign", "partner"}
	if d.hitsPercent(90) {
		t.CRM, t.Source = 100_000+int(ref)*7+d.below(7), sources[d.below(len(sources))]
	}
}

func randomDigits(d *dice, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + d.below(10))
	}
	return string(b)
}
