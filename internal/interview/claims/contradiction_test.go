package claims_test

import (
	"slices"
	"testing"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, say string
		topics    []claims.Topic
	}{
		{"two holding times", "I hold for 20 minutes. I hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"about the same", "I hold for 20 minutes. I hold for 25 minutes.", nil},
		{"inside a bound", "I hold for 20 minutes. I never hold more than an hour.", nil},
		{"sometimes", "I hold for 20 minutes. Sometimes I hold for two days.", nil},
		{"usually not, and sometimes", "I usually don't hold overnight. Sometimes I hold a winner overnight.", nil},
		{"not, and sometimes", "I don't hedge. Sometimes I hedge.", nil},
		{"never, and usually", "I never hold overnight. I usually hold overnight.", []claims.Topic{claims.HoldingTime}},
		{"usually, and another", "I usually hold for twenty minutes. I hold for two days.", nil},
		{"usually beyond a bound", "I never hold for more than an hour. I usually hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"only gold, and sometimes oil", "I only trade gold. Sometimes I trade oil.", nil},
		{"several times in a row", "I hold for five minutes, ten minutes, sometimes an hour", nil},
		{"several times one after another", "I hold for five minutes. Ten minutes. An hour.", nil},
		{"not the same time twice", "I hold for five minutes. I like gold. I hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"a program for some of it", "I trade manually but use an EA for closing", nil},
		{"a program to trade", "I trade manually, and I use an EA to trade", []claims.Topic{claims.EAUse}},
		{"risk of all and of each", "My total risk is 3 percent, 1 percent for each trade", nil},
		{"yes and no", "I don't use any bots. I use a bot.", []claims.Topic{claims.EAUse}},
		{"another thing of the topic", "I don't use martingale. Sometimes I hedge.", nil},
		{"accounts", "I have 2 accounts. I have 3 accounts.", []claims.Topic{claims.AccountCount}},
		{"about so many accounts", "I have 2 accounts. I have about 3 accounts.", nil},
		{"only gold, and oil", "I only trade gold. I trade oil.", []claims.Topic{claims.Instruments}},
		{"a class, and only one of it", "I trade forex. I only trade the euro dollar.", nil},
		{"a class, and only one of another", "I trade indices. I only trade the euro dollar.", []claims.Topic{claims.Instruments}},
		{"two instruments", "I hold gold for twenty minutes. I hold the euro dollar for two days.", nil},
		{"two instruments overnight", "I don't hold gold overnight. I hold the euro dollar overnight.", nil},
		{"one instrument, and all", "I hold gold for twenty minutes. I always hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"only metals, and gold", "I only trade metals. I trade gold.", nil},
		{"sessions", "I trade the London session. I trade the New York session.", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []claims.Topic
			for _, c := range claims.Contradictions(extract.Claims([]claims.Segment{{ID: "s", Text: tc.say}}, nil)) {
				got = append(got, c.Topic)
			}
			if !slices.Equal(got, tc.topics) {
				t.Errorf("contradictions %v, want %v", got, tc.topics)
			}
		})
	}
}
