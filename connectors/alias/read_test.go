package alias_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

func TestText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", alias.MaxTextBytes/2)
	runReader(t, alias.Field{Aliases: []string{"x"}}, text, []readerTest{
		{"plain", `{"x":"abc"}`, `"abc"`},
		{"trimmed", `{"x":" \t abc\u00a0 "}`, `"abc"`},
		{"inner space kept", `{"x":"a  b"}`, `"a  b"`},
		{"escapes", `{"x":"\"\\\/\b\f\n\r\t\u00e9\u20AC!"}`, "\"\\\"\\\\/\\b\\f\\n\\r\\té€!\""},
		{"surrogate pair", `{"x":"\ud83d\ude00"}`, `"😀"`},
		{"ends with a backslash", `{"x":"a\\"}`, `"a\\"`},
		{"multibyte", `{"x":"Zoë"}`, `"Zoë"`},
		{"replacement character itself is text", `{"x":"a\ufffd�"}`, `"a��"`},
		{"lone high surrogate", `{"x":"a\ud83dz"}`, `"a�z" !invalid_text`},
		{"lone low surrogate", `{"x":"\ude00"}`, `"�" !invalid_text`},
		{"high surrogate before an escape", `{"x":"\ud83d\u0041"}`, `"�A" !invalid_text`},
		{"two high surrogates, then a low one", `{"x":"\ud83d\ud83d\ude00"}`, `"�😀" !invalid_text`},
		{"NUL", `{"x":"a\u0000b"}`, `"a�b" !invalid_text`},
		{"invalid UTF-8", "{\"x\":\"a\xc3b\"}", `"a�b" !invalid_text`},
		{"encoded surrogate", "{\"x\":\"\xed\xa0\x80\"}", `"���" !invalid_text`},
		{"number", `{"x":491701234567890123456}`, `"491701234567890123456" !number_as_text`},
		{"boolean", `{"x":false}`, `"" !wrong_type`},
		{"blank after decoding", `{"x":"\u0020\n"}`, `""`},
		{"longest", `{"x":"` + long + `"}`, `"` + long + `"`},
		{"too long", `{"x":"` + long + `a"}`, `"" !too_long`},
		{"escapes do not count", `{"x":"` + strings.Repeat(`\u0041`, alias.MaxTextBytes) + `"}`, `"` + strings.Repeat("A", alias.MaxTextBytes) + `"`},
	})
	runReader(t, alias.Field{Aliases: []string{"a.b~c/d"}, Required: true, Max: 3}, text, []readerTest{
		{"required", `{"a":{"b~c/d":"abc"}}`, `"abc"`},
		{"required missing", `{"a":{}}`, `rejected required_missing /a/b~0c~1d`},
		{"required null", `{"a":{"b~c/d":null}}`, `rejected required_missing /a/b~0c~1d`},
		{"required blank", `{"a":{"b~c/d":" "}}`, `rejected required_missing /a/b~0c~1d`},
		{"required blank after decoding", `{"a":{"b~c/d":"\u0020"}}`, `rejected required_missing /a/b~0c~1d`},
		{"required of wrong type", `{"a":{"b~c/d":{}}}`, `rejected wrong_type /a/b~0c~1d`},
		{"required too long", `{"a":{"b~c/d":"abcd"}}`, `rejected too_long /a/b~0c~1d`},
	})
}

func TestID(t *testing.T) {
	t.Parallel()
	read := quoted(func(r *alias.Record) string { return r.ID(0) })
	long := strings.Repeat("7", alias.MaxIDBytes)
	runReader(t, alias.Field{Aliases: []string{"id"}}, read, []readerTest{
		{"string", `{"id":"T-1"}`, `"T-1"`},
		{"white space around it", `{"id":" T-1 "}`, `"T-1" !id_with_spaces`},
		{"nothing but white space", `{"id":"  "}`, `""`},
		{"leading zeros", `{"id":"007"}`, `"007"`},
		{"string of a float", `{"id":"1.0"}`, `"1.0"`},
		{"number", `{"id":42}`, `"42"`},
		{"zero", `{"id":0}`, `"0"`},
		{"negative", `{"id":-42}`, `"-42"`},
		{"beyond 2^53", `{"id":9007199254740993}`, `"9007199254740993"`},
		{"beyond 2^64", `{"id":18446744073709551617}`, `"18446744073709551617"`},
		{"whole float", `{"id":17.0}`, `"17" !id_as_float`},
		{"whole float that may have been rounded", `{"id":9007199254740993.0}`, `"" !invalid_id`},
		{"fraction", `{"id":17.5}`, `"" !invalid_id`},
		{"exponent", `{"id":1e3}`, `"" !invalid_id`},
		{"boolean", `{"id":true}`, `"" !wrong_type`},
		{"array", `{"id":[1]}`, `"" !wrong_type`},
		{"separator of keys", `{"id":"a\u001fb"}`, `"" !invalid_id`},
		{"letters that are not UTF-8", "{\"id\":\"m\xfcller\"}", `"" !invalid_id`},
		{"half of a surrogate pair", `{"id":"a\ud83dz"}`, `"" !invalid_id`},
		{"NUL in an id", `{"id":"a\u0000b"}`, `"" !invalid_id`},
		{"replacement character in an id", `{"id":"m\ufffdller"}`, `"m�ller"`},
		{"longest", `{"id":"` + long + `"}`, `"` + long + `"`},
		{"too long", `{"id":"` + long + `7"}`, `"" !too_long`},
		{"number too long", `{"id":` + long + `7}`, `"" !too_long`},
	})
	runReader(t, alias.Field{Aliases: []string{"id"}, Required: true}, read, []readerTest{
		{"required exponent", `{"id":1e3}`, `rejected invalid_id /id`},
		{"required letters that are not UTF-8", "{\"id\":\"m\xfcller\"}", `rejected invalid_id /id`},
		{"required too long", `{"id":"` + long + `7"}`, `rejected too_long /id`},
		{"required boolean", `{"id":true}`, `rejected wrong_type /id`},
	})
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	read := func(r *alias.Record) any { return "=" + r.Decimal(0) }
	digits := strings.Repeat("7", record.MaxDigits)
	runReader(t, alias.Field{Aliases: []string{"x"}}, read, []readerTest{
		{"number", `{"x":1.10}`, `=1.1`},
		{"zero", `{"x":0}`, `=0`},
		{"exponent", `{"x":1.5E3}`, `=1500`},
		{"more digits than a float", `{"x":0.1234567890123456789}`, `=0.1234567890123456789`},
		{"null", `{"x":null}`, `=`},
		{"empty string", `{"x":""}`, `=`},
		{"string", `{"x":" 1.10 "}`, `=1.1 !numeric_string`},
		{"escaped string", `{"x":"\u0031"}`, `=1 !numeric_string`},
		{"string with comma", `{"x":"1,000.5"}`, `= !invalid_number`},
		{"not a number", `{"x":"NaN"}`, `= !invalid_number`},
		{"word", `{"x":"n/a"}`, `= !invalid_number`},
		{"boolean", `{"x":true}`, `= !wrong_type`},
		{"most digits", `{"x":` + digits + `}`, `=` + digits},
		{"too many digits", `{"x":` + digits + `7}`, `rejected number_out_of_range /x`},
		{"too large", `{"x":1e200000}`, `rejected number_out_of_range /x`},
		{"too large as a string", `{"x":"1e200000"}`, `rejected number_out_of_range /x`},
		{"too small", `{"x":1e-5000}`, `rejected number_out_of_range /x`},
	})
	runReader(t, alias.Field{Aliases: []string{"x"}, NumericStrings: true}, read, []readerTest{
		{"allowed string", `{"x":"1000.50"}`, `=1000.5`},
		{"allowed thousands", `{"x":"1,234,567.891"}`, `=1234567.891`},
		{"decimal comma after a zero", `{"x":"0,125"}`, `= !invalid_number`},
		{"decimal comma after a negative zero", `{"x":"-0,500"}`, `= !invalid_number`},
		{"thousands after zeros", `{"x":"00,123,456"}`, `= !invalid_number`},
		{"allowed thousands, negative", `{"x":"-100,000"}`, `=-100000`},
		{"allowed thousands, plus", `{"x":"+1,000"}`, `=1000`},
		{"decimal comma", `{"x":"1,5"}`, `= !invalid_number`},
		{"decimal comma with two digits", `{"x":"1234,56"}`, `= !invalid_number`},
		{"groups of wrong length", `{"x":"1,0000"}`, `= !invalid_number`},
		{"first group too long", `{"x":"1000,000"}`, `= !invalid_number`},
		{"leading comma", `{"x":",100"}`, `= !invalid_number`},
		{"comma in the fraction", `{"x":"1.000,000"}`, `= !invalid_number`},
		{"comma only", `{"x":","}`, `= !invalid_number`},
		{"letters in groups", `{"x":"abc,def"}`, `= !invalid_number`},
		{"currency sign", `{"x":"$1,000"}`, `= !invalid_number`},
	})
	runReader(t, alias.Field{Aliases: []string{"x"}, Required: true}, read, []readerTest{
		{"required word", `{"x":"n/a"}`, `rejected invalid_number /x`},
		{"required null", `{"x":null}`, `rejected required_missing /x`},
	})
}

func TestTime(t *testing.T) {
	t.Parallel()
	read := func(r *alias.Record) any {
		v := r.Time(0)
		if v.IsZero() {
			return "none"
		}
		if v.Location() != time.UTC {
			return "not UTC"
		}
		return v.Format(time.RFC3339Nano)
	}
	runReader(t, alias.Field{Aliases: []string{"x"}}, read, []readerTest{
		{"UTC", `{"x":"2024-02-29T23:59:59Z"}`, `2024-02-29T23:59:59Z`},
		{"lower case", `{"x":"2024-02-29t23:59:59z"}`, `2024-02-29T23:59:59Z`},
		{"trimmed", `{"x":" 2024-02-29T23:59:59Z "}`, `2024-02-29T23:59:59Z`},
		{"escaped", `{"x":"2024-02-29T23\u003a59:59Z"}`, `2024-02-29T23:59:59Z`},
		{"offset", `{"x":"2024-01-01T01:30:00+05:30"}`, `2023-12-31T20:00:00Z`},
		{"negative offset", `{"x":"2024-01-01T01:30:00-05:30"}`, `2024-01-01T07:00:00Z`},
		{"unknown offset", `{"x":"2024-01-01T01:30:00-00:00"}`, `2024-01-01T01:30:00Z`},
		{"milliseconds", `{"x":"2024-01-01T00:00:00.120Z"}`, `2024-01-01T00:00:00.12Z`},
		{"truncated to microseconds", `{"x":"2024-01-01T00:00:00.123456999Z"}`, `2024-01-01T00:00:00.123456Z`},
		{"endless fraction", `{"x":"2024-01-01T00:00:00.` + strings.Repeat("9", 100) + `Z"}`, `2024-01-01T00:00:00.999999Z`},
		{"leap second", `{"x":"2016-12-31T23:59:60Z"}`, `2017-01-01T00:00:00Z`},
		{"last instant", `{"x":"9999-12-31T23:59:59.999999Z"}`, `9999-12-31T23:59:59.999999Z`},
		{"first usable instant", `{"x":"0001-01-01T00:00:00.000001Z"}`, `0001-01-01T00:00:00.000001Z`},
		{"null", `{"x":null}`, `none`},
		{"no time of many languages", `{"x":"0001-01-01T00:00:00Z"}`, `none !invalid_time`},
		{"beyond year 9999 by its offset", `{"x":"9999-12-31T23:59:59-01:00"}`, `none !invalid_time`},
		{"before year 1 by its offset", `{"x":"0001-01-01T00:00:00+01:00"}`, `none !invalid_time`},
		{"year zero", `{"x":"0000-06-01T00:00:00Z"}`, `none !invalid_time`},
		{"MySQL's no date", `{"x":"0000-00-00T00:00:00Z"}`, `none !invalid_time`},
		{"no offset", `{"x":"2024-01-01T00:00:00"}`, `none !invalid_time`},
		{"space instead of T", `{"x":"2024-01-01 00:00:00Z"}`, `none !invalid_time`},
		{"date only", `{"x":"2024-01-01"}`, `none !invalid_time`},
		{"no seconds", `{"x":"2024-01-01T00:00Z"}`, `none !invalid_time`},
		{"offset without colon", `{"x":"2024-01-01T00:00:00+0100"}`, `none !invalid_time`},
		{"offset of hours only", `{"x":"2024-01-01T00:00:00+01"}`, `none !invalid_time`},
		{"offset out of range", `{"x":"2024-01-01T00:00:00+24:00"}`, `none !invalid_time`},
		{"fraction without digits", `{"x":"2024-01-01T00:00:00.Z"}`, `none !invalid_time`},
		{"decimal comma", `{"x":"2024-01-01T00:00:00,5Z"}`, `none !invalid_time`},
		{"day of another month", `{"x":"2023-02-29T00:00:00Z"}`, `none !invalid_time`},
		{"century without leap day", `{"x":"1900-02-29T00:00:00Z"}`, `none !invalid_time`},
		{"31st of a short month", `{"x":"2024-04-31T00:00:00Z"}`, `none !invalid_time`},
		{"month 13", `{"x":"2024-13-01T00:00:00Z"}`, `none !invalid_time`},
		{"hour 24", `{"x":"2024-01-01T24:00:00Z"}`, `none !invalid_time`},
		{"minute 60", `{"x":"2024-01-01T00:60:00Z"}`, `none !invalid_time`},
		{"second 61", `{"x":"2024-01-01T23:59:61Z"}`, `none !invalid_time`},
		{"second 60 inside an hour", `{"x":"2024-01-01T23:58:60Z"}`, `none !invalid_time`},
		{"letters", `{"x":"2024-O1-01T00:00:00Z"}`, `none !invalid_time`},
		{"more after it", `{"x":"2024-01-01T00:00:00Zulu"}`, `none !invalid_time`},
		{"Unix time where it is not expected", `{"x":1700000000}`, `none !invalid_time`},
		{"boolean", `{"x":true}`, `none !wrong_type`},
		{"object", `{"x":{"date":"2024-01-01"}}`, `none !wrong_type`},
	})
	runReader(t, alias.Field{Aliases: []string{"x"}, Times: alias.SpaceSeparated | alias.Unix}, read, []readerTest{
		{"RFC 3339 too", `{"x":"2024-01-01T01:00:00+01:00"}`, `2024-01-01T00:00:00Z`},
		{"space separated", `{"x":"2024-01-01 10:11:12"}`, `2024-01-01T10:11:12Z`},
		{"space separated with fraction", `{"x":"2024-01-01 10:11:12.5"}`, `2024-01-01T10:11:12.5Z`},
		{"space separated with offset", `{"x":"2024-01-01 10:11:12+01:00"}`, `none !invalid_time`},
		{"Unix seconds", `{"x":1700000000}`, `2023-11-14T22:13:20Z`},
		{"Unix seconds with fraction", `{"x":1700000000.1234567}`, `2023-11-14T22:13:20.123456Z`},
		{"Unix milliseconds", `{"x":1700000000123}`, `2023-11-14T22:13:20.123Z`},
		{"Unix milliseconds with fraction", `{"x":1700000000123.4567}`, `2023-11-14T22:13:20.123456Z`},
		{"Unix seconds as a string", `{"x":"1700000000"}`, `2023-11-14T22:13:20Z`},
		{"last seconds", `{"x":99999999999}`, `5138-11-16T09:46:39Z`},
		{"first milliseconds", `{"x":100000000000}`, `1973-03-03T09:46:40Z`},
		{"microseconds", `{"x":1700000000123456}`, `none !invalid_time`},
		{"zero is never", `{"x":0}`, `none !invalid_time`},
		{"zero with fraction is never", `{"x":0.0}`, `none !invalid_time`},
		{"negative", `{"x":-5}`, `none !invalid_time`},
		{"exponent", `{"x":1.7e9}`, `none !invalid_time`},
		{"no offset", `{"x":"2024-01-01T00:00:00"}`, `none !invalid_time`},
	})
}

func TestEnum(t *testing.T) {
	t.Parallel()
	values := []string{"mt4", "mt5"}
	read := func(r *alias.Record) any { return fmt.Sprintf("%q", r.Enum(0, values)) + " " + r.Unrecognized() }
	runReader(t, alias.Field{Aliases: []string{"platform", "terminal"}}, read, []readerTest{
		{"known", `{"platform":"mt5"}`, `"mt5" `},
		{"null", `{"platform":null}`, `"" `},
		{"other case", `{"platform":" MT5 "}`, `"mt5"  !enum_case`},
		{"unknown", `{"platform":"mt6"}`, `"" {"platform":"mt6"} !unknown_enum_value`},
		{"unknown under an alias", `{"terminal":"mt\u00366\""}`, `"" {"platform":"mt66\""} !unknown_enum_value`},
		{"number", `{"platform":6}`, `"" {"platform":6} !unknown_enum_value`},
		{"number out of range", `{"platform":6e99999}`, `rejected number_out_of_range /platform`},
		{"boolean", `{"platform":true}`, `""  !wrong_type`},
		{"unknown with invalid text", `{"platform":"\u0000"}`, `"" {"platform":"�"} !invalid_text !unknown_enum_value`},
	})
	runReader(t, alias.Field{Aliases: []string{"platform"}, Required: true}, read, []readerTest{
		{"required unknown", `{"platform":"mt6"}`, `rejected unknown_enum_value /platform`},
		{"required null", `{"platform":null}`, `rejected required_missing /platform`},
	})
}

func TestStrings(t *testing.T) {
	t.Parallel()
	read := func(r *alias.Record) any { return fmt.Sprintf("%q", r.Strings(0)) }
	many := strings.TrimSuffix(strings.Repeat(`"t",`, alias.MaxTags), ",")
	shown := "[" + strings.TrimSuffix(strings.Repeat(`"t" `, alias.MaxTags), " ") + "]"
	runReader(t, alias.Field{Aliases: []string{"tags"}, Kind: alias.List}, read, []readerTest{
		{"strings", `{"tags":["vip", " eu "]}`, `["vip" "eu"]`},
		{"empty", `{"tags":[ ]}`, `[]`},
		{"null", `{"tags":null}`, `[]`},
		{"blank and null elements", `{"tags":["", " ", null, "a"]}`, `["a"]`},
		{"numbers", `{"tags":[7]}`, `["7"] !number_as_text`},
		{"other elements", `{"tags":[{"a":["x"]},["b"],true,"c"]}`, `["c"] !wrong_type`},
		{"invalid text", `{"tags":["\ud800"]}`, `["�"] !invalid_text`},
		{"element too long", `{"tags":["` + strings.Repeat("x", alias.MaxTagBytes+1) + `","a"]}`, `["a"] !too_long`},
		{"most elements", `{"tags":[` + many + `]}`, shown},
		{"too many elements", `{"tags":[` + many + `,"u"]}`, shown + ` !too_long`},
		{"string", `{"tags":"vip"}`, `[] !wrong_type`},
		{"object", `{"tags":{"0":"vip"}}`, `[] !wrong_type`},
	})
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	read := func(r *alias.Record) any { return r.Object(0) }
	full := `{"a":"` + strings.Repeat("x", alias.MaxMetadataBytes-len(`{"a":""}`)) + `"}`
	powers := strings.TrimSuffix(strings.Repeat("1e900,", 100), ",")
	runReader(t, alias.Field{Aliases: []string{"metadata"}, Kind: alias.Object}, read, []readerTest{
		{"as it is", `{"metadata":{ "b" : [1, 2.50, {"c":null}], "a":"\u00e9\/" }}`, `{ "b" : [1, 2.50, {"c":null}], "a":"\u00e9\/" }`},
		{"empty", `{"metadata":{}}`, `{}`},
		{"null", `{"metadata":null}`, ``},
		{"array", `{"metadata":[1]}`, ` !wrong_type`},
		{"string", `{"metadata":"{}"}`, ` !wrong_type`},
		{"NUL", `{"metadata":{"a\u0000":"b\u0000\\u0000"}}`, `{"a�":"b�\\u0000"} !invalid_text`},
		{"surrogates", `{"metadata":{"a":"\ud83d\ude00 \ud83d \ude00"}}`, `{"a":"\ud83d\ude00 � �"} !invalid_text`},
		{"invalid UTF-8", "{\"metadata\":{\"\xff\":\"é\xc3\"}}", `{"�":"é�"} !invalid_text`},
		{"large number", `{"metadata":{"a":[1e900,-12345678901234567890.5]}}`, `{"a":[1e900,-12345678901234567890.5]}`},
		{"number out of range", `{"metadata":{"a":[{"b":1e200000}]}}`, `rejected number_out_of_range /metadata`},
		{"number too small", `{"metadata":{"a":1e-200000}}`, `rejected number_out_of_range /metadata`},
		{"number with too many digits", `{"metadata":{"a":` + strings.Repeat("7", record.MaxDigits+1) + `}}`, `rejected number_out_of_range /metadata`},
		{"digits in a string", `{"metadata":{"a":"1e200000"}}`, `{"a":"1e200000"}`},
		{"longest", `{"metadata":` + full + `}`, full},
		{"too long", `{"metadata":` + full[:len(full)-1] + ` }}`, ` !too_long`},
		{"grows too long by repair", `{"metadata":` + strings.Replace(full, "x", "\xff", 1) + `}`, ` !too_long`},
		{"grows too long by its numbers", `{"metadata":{"a":[` + powers + `]}}`, ` !too_long`},
	})
}

// The platform's own metadata is stored together with the other fields that a
// connector keeps and with the values that cannot be used. They do not overwrite
// each other.
func TestBesideMetadata(t *testing.T) {
	t.Parallel()
	const (
		metadata = iota
		status
		phase
		number
	)
	table := alias.NewTable([]alias.Field{
		metadata: {Aliases: []string{"metadata"}, Kind: alias.Object},
		status:   {Aliases: []string{"status"}},
		phase:    {Aliases: []string{"phase"}},
		number:   {Aliases: []string{"customerNr"}},
	})
	tests := []struct{ name, item, metadata, kept, unrecognized string }{
		{"none", `{}`, ``, ``, ``},
		{"own only", `{"metadata":{"a":1}}`, `{"a":1}`, ``, ``},
		{"unknown values", `{"metadata":{"unrecognized":{"status":"mine"}},"status":"x","phase":2}`, `{"unrecognized":{"status":"mine"}}`, ``, `{"status":"x","phase":2}`},
		{"kept text", `{"customerNr":"n\"1"}`, ``, `{"customer_nr":"n\"1"}`, ``},
		{"kept number", `{"metadata":{ },"customerNr":18446744073709551617,"phase":"x"}`, `{ }`, `{"customer_nr":18446744073709551617}`, `{"phase":"x"}`},
	}
	d := alias.NewDecoder(table, resource)
	for _, test := range tests {
		r := d.Next(test.item)
		r.Keep("customer_nr", number)
		r.Enum(status, []string{"active"})
		r.Enum(phase, []string{"funded"})
		if m, k, u := r.Object(metadata), r.Kept(), r.Unrecognized(); m != test.metadata || k != test.kept || u != test.unrecognized {
			t.Errorf("%s: metadata %s, kept %s, unrecognized %s", test.name, m, k, u)
		}
	}
}

func TestScalar(t *testing.T) {
	t.Parallel()
	read := func(r *alias.Record) any {
		text, number := r.Scalar(0)
		return fmt.Sprintf("%q %t", text, number)
	}
	runReader(t, alias.Field{Aliases: []string{"side"}}, read, []readerTest{
		{"string", `{"side":" Buy "}`, `"Buy" false`},
		{"number", `{"side":1.0}`, `"1.0" true`},
		{"null", `{"side":null}`, `"" false`},
		{"boolean", `{"side":true}`, `"" false !wrong_type`},
	})
}
