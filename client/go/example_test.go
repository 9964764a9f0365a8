package assay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	assay "github.com/assayhq/assay/client/go"
)

func client() *assay.Client {
	c, err := assay.New(os.Getenv("ASSAY_URL"), os.Getenv("ASSAY_API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// All traders whose name, email or external id contains a text, over all pages.
func ExampleClient_AllTraders() {
	for trader, err := range client().AllTraders(context.Background(), &assay.ListTradersParams{Search: new("smith")}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(trader.ID, trader.Status)
	}
}

// A new interview, with the link to send to the trader.
func ExampleClient_CreateInterview() {
	made, err := client().CreateInterview(context.Background(), assay.NewInterview{TraderID: new("019a9f3c-7d10-7ca8-a106-2fb0db3622df")})
	if problem, ok := errors.AsType[*assay.Problem](err); ok {
		for _, fault := range problem.Errors {
			fmt.Println(fault.Place(), fault.Detail)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	if !made.SecretAvailable {
		log.Fatal("the answer with the link was lost: replace the link with ReissueInvite")
	}
	fmt.Println(*made.InviteURL)
}

// A change that is carried out only if nobody else changed the trader since it was read.
func ExampleIfMatch() {
	ctx, c, id := context.Background(), client(), "019a9f3c-7d10-7ca8-a106-2fb0db3622df"
	var header http.Header
	if _, err := c.GetTrader(ctx, id, assay.WithResponseHeader(&header)); err != nil {
		log.Fatal(err)
	}
	_, err := c.UpdateTrader(ctx, id, assay.TraderPatch{Tags: []string{"vip"}}, assay.IfMatch(header.Get("ETag")), assay.WithNull("phone"))
	if problem, ok := errors.AsType[*assay.Problem](err); ok && problem.Code == "precondition_failed" {
		fmt.Println("read it again")
	}
}

// An endpoint for webhooks.
func ExampleParseWebhook() {
	http.HandleFunc("POST /webhooks/assay", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := assay.ParseWebhook(r.Header, body, os.Getenv("ASSAY_WEBHOOK_SECRET"))
		if errors.Is(err, assay.ErrWebhookSignature) {
			http.Error(w, "not signed", http.StatusUnauthorized)
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if event.Type == "payout.status_changed" {
			payout, err := event.Payload.AsPayoutStatusChangedEvent()
			fmt.Println(payout.Data, err)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// What changes while a program runs.
func ExampleClient_Changes() {
	for change, err := range client().Changes(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if change.Topic == "" {
			fmt.Println("read everything again")
			continue
		}
		fmt.Println(change.Topic, change.ID)
	}
}
