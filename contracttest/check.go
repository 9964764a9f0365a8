package contracttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Check judges a platform. It returns a *UsageError if the options are invalid. Everything that
// goes wrong on the platform is in the report.
func Check(ctx context.Context, o Options) (*Report, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, o.Timing.Total)
	defer cancel()
	r := newRun(ctx, &o)
	defer r.client.transport.CloseIdleConnections()
	report := &Report{
		Format: Format, URL: r.client.redact.Replace(o.URL), Profile: o.Profile, Only: o.Only, StartedAt: began.UTC(),
		Verdicts: make(map[Profile]Verdict),
	}
	wanted := o.selectedCases()
	cases := o.requiredCases(wanted)
	for i := range cases {
		r.reportProgress(i, len(cases), cases[i].ID, report)
		result := r.judgeCase(&cases[i])
		if slices.ContainsFunc(wanted, func(c Case) bool { return c.ID == result.ID }) {
			report.Results = append(report.Results, result)
		}
	}
	r.reportProgress(len(cases), len(cases), "", report)
	for i := range report.Results {
		report.Results[i].Curl = r.curlCommand(&report.Results[i])
	}
	report.Untested = r.unreachable
	report.Samples, report.Load = r.listSamples(), r.load
	report.Exchanges, report.Requests = r.client.exchanges, r.client.sent
	for _, p := range Profiles() {
		if o.Profile.includesProfile(p) {
			report.Verdicts[p] = report.profileVerdict(p)
		}
	}
	report.Verdict = report.Verdicts[o.Profile]
	report.Duration = time.Since(began)
	return report, nil
}

// selectedCases returns the cases of the profile, or those that the options select.
func (o *Options) selectedCases() []Case {
	live := slices.ContainsFunc(liveCases(), func(c Case) bool { return slices.Contains(o.Only, c.ID) })
	return slices.DeleteFunc(Cases(), func(c Case) bool {
		wanted := len(o.Only) == 0 || slices.Contains(o.Only, c.ID) || live && c.Profile == LiveCheck
		return !wanted || !o.Profile.includesProfile(c.Profile)
	})
}

// requiredCases returns the cases that have to run for the selected ones: the whole profile if
// one of them depends on what the others read. The sustained rate, which takes ten seconds, is
// run only for the cases about load and for trades.closing, because a trade may close in that time.
func (o *Options) requiredCases(selected []Case) []Case {
	if !slices.ContainsFunc(selected, func(c Case) bool { return c.rests }) {
		return selected
	}
	waits := slices.ContainsFunc(selected, func(c Case) bool { return strings.HasPrefix(c.ID, "load.") || c.ID == "trades.closing" })
	all := *o
	all.Only = nil
	return slices.DeleteFunc(all.selectedCases(), func(c Case) bool { return c.ID == "load.sustained" && !waits })
}

// profileVerdict returns the verdict of a profile: a broken MUST outweighs a check that did not
// finish.
func (r *Report) profileVerdict(p Profile) Verdict {
	verdict := Conformant
	if r.Untested != "" {
		verdict = Untested
	}
	for i := range r.Results {
		result := &r.Results[i]
		switch {
		case !p.includesProfile(result.Profile):
		case result.Status == Failed:
			return Violations
		case r.Unjudged(result):
			verdict = Untested
		}
	}
	return verdict
}

// judgeCase runs one case.
func (r *run) judgeCase(c *Case) Result {
	r.seen = nil
	began := time.Now()
	result := Result{Case: *c, Exchanges: []int{}}
	o := r.caseOutcome(c)
	result.Status, result.Skip, result.Message, result.DependsOn = o.status, o.skip, r.client.redact.Replace(o.text), o.on
	if o.fix != "" && result.Broken() {
		result.Fix = o.fix
	}
	result.Exchanges, result.Duration = append(result.Exchanges, r.seen...), time.Since(began)
	broken := result.Status == Failed
	if broken && c.Level == Should {
		result.Status = Warned
	}
	for i := range r.o.Waivers {
		if w := &r.o.Waivers[i]; w.Case == c.ID {
			result.Waiver, result.Expired = w, w.isExpired(r.o.Now())
			if broken && !result.Expired {
				result.Status = Waived
			}
		}
	}
	return result
}

// caseOutcome runs the case unless the platform is unreachable.
func (r *run) caseOutcome(c *Case) outcome {
	switch {
	case r.unreachable != "":
		return skip(SkipAway, "the platform could not be tested: "+r.unreachable)
	case r.closed != "" && !c.always:
		return dependsOn(healthCase, r.closed)
	case r.client.ctx.Err() != nil:
		return skip(SkipDeadline, refusalReason(errDeadline))
	}
	return c.check(r)
}

// unjudgedOutcome returns the outcome of a case whose request could not be
// judged.
func unjudgedOutcome(a *answer) outcome {
	switch {
	case errors.Is(a.err, errBudget):
		return skip(SkipBudget, a.text)
	case errors.Is(a.err, errDeadline):
		return skip(SkipDeadline, a.text)
	case errors.Is(a.err, errThrottle):
		return skip(SkipThrottle, a.text)
	}
	return failedOutcome(a)
}

// blameCase returns the outcome of a case that cannot be judged because a request failed, which
// the case with the id judges. If the request could not be sent, no case is to blame.
func blameCase(a *answer, id, because string) outcome {
	if o := unjudgedOutcome(a); o.status == Skipped {
		return o
	}
	return dependsOn(id, because)
}

// noteFailure notes that a request failed, unless it could not be sent.
func noteFailure(a *answer, text string) outcome {
	if o := unjudgedOutcome(a); o.status == Skipped {
		return o
	}
	return note(text)
}

// failedOutcome returns the outcome of a case whose request failed.
func failedOutcome(a *answer) outcome {
	o := fail(a.text)
	o.fix = suggestFix(a)
	return o
}

// suggestFix returns a hint for an answer that is the same for every route. It is empty if the
// case has a better hint.
func suggestFix(a *answer) string {
	switch {
	case errors.Is(a.err, errUntrusted):
		return trustedFix
	case errors.Is(a.err, errTLS):
		return "Install a valid, complete certificate chain for this host name, and allow TLS 1.2 or later without a client certificate."
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return "Pass the key that this platform expects as Authorization: Bearer, and allow this machine's address if there is an allowlist."
	case a.status == http.StatusNotModified:
		return "Answer 200 with the body. A 304 answers a condition, and assay sends no If-None-Match or If-Modified-Since."
	case a.slashed:
		return "Serve the path without a slash at its end too. Redirects are not followed, because the key could reach another server."
	case a.status >= 300 && a.status <= 399:
		return "Answer at the base URL itself, or use the address that the redirect leads to as base URL. Redirects are not followed, because the key could reach another server."
	case a.markup:
		return "A login page, a proxy or the web server answers instead of the API. Check the base URL, and let paths below it reach the application without a session."
	case errors.Is(a.err, errThrottle):
		return "Allow five requests a second for this key, and accept requests again once the time in Retry-After has passed."
	case errors.Is(a.err, errServer):
		return fmt.Sprintf("The platform failed. Its log shows the cause of the %d. The curl line makes the same request.", a.status)
	case a.status == http.StatusNotFound:
		return "Nothing answers at this path. Deploy the route, and check the base URL with its prefix, if any."
	case a.status == http.StatusMethodNotAllowed:
		return "Make the route answer GET."
	case errors.Is(a.err, errTooLarge):
		return "Honor the requested limit, and keep metadata small."
	case errors.Is(a.err, errBroken):
		return "Send the whole body, as valid JSON and nothing after it. The message and the report in HTML show where it goes wrong."
	case errors.Is(a.err, errTimeout), errors.Is(a.err, errNoAnswer):
		return "Check whether the request reaches the application, and what it waits for there. A firewall that drops packets, a crashed worker and a query without an index look the same from outside."
	}
	return ""
}

// curlCommand returns the command line for a failure: that of the last request that the case was
// judged by.
func (r *run) curlCommand(result *Result) string {
	if !result.Broken() || len(result.Exchanges) == 0 {
		return ""
	}
	return r.client.exchanges[result.Exchanges[len(result.Exchanges)-1]-1].Curl
}

func (r *run) reportProgress(done, total int, id string, report *Report) {
	if r.o.Progress == nil {
		return
	}
	p := Progress{Done: done, Total: total, Case: id, Requests: r.client.sent}
	if n := len(report.Results); n > 0 {
		last := report.Results[n-1]
		p.Last = &last
	}
	r.o.Progress(p)
}
