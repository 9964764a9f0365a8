package privacy

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/interviews"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/privacy"
)

// mediaZIP is the media type of exports.
const mediaZIP = "application/zip"

const (
	// archiveLimit is how long sending an export may take: three hours of recordings are 1.4 GB.
	archiveLimit = 2 * time.Hour
	// archiveWrite is how long a client may take to read a part of an export.
	archiveWrite = time.Minute
)

// exportedList is a list in a file of an export.
type exportedList[T any] struct {
	Data []T `json:"data"`
}

// exportInterview answers GET /v1/interviews/{id}/export with all data about the interview. HEAD gets
// none of it, so the audit log does not record it as an export.
func (a *API) exportInterview(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	name := "interview-" + id.String()
	if r.Method == http.MethodHead {
		if _, err := privacy.ReadInterview(r.Context(), a.store, route.CallerOrganization(r), id); err != nil {
			return err
		}
		beginArchive(w, name)
		return nil
	}
	e, err := privacy.ExportInterview(r.Context(), a.store, route.NewChange(r), id)
	if err != nil {
		return err
	}
	return a.answerArchive(w, r, name, func(z *export) {
		z.addInterview("", e)
		if f := e.ActivityFile; f != nil {
			a.exportFile(r, z, "activity-file/", e.TraderID, f.FileID, f.Name)
		}
	})
}

// exportTrader answers GET /v1/traders/{id}/export with all data about the trader. HEAD is like that of
// exportInterview.
func (a *API) exportTrader(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	name := "trader-" + id.String()
	if r.Method == http.MethodHead {
		if _, err := directory.ReadTrader(r.Context(), a.store, route.CallerOrganization(r), id); err != nil {
			return err
		}
		beginArchive(w, name)
		return nil
	}
	e, err := privacy.ExportTrader(r.Context(), a.store, route.NewChange(r), id)
	if err != nil {
		return err
	}
	return a.answerArchive(w, r, name, func(z *export) {
		z.addJSON("trader.json", traders.DetailOf(e.TraderDetail))
		z.addFile("trades.json", func(to io.Writer) error { return a.writeTrades(r, to, id) })
		for _, f := range e.Files {
			a.exportFile(r, z, "activity-files/", e.ID, f.ID, f.Name)
		}
		for _, id := range e.InterviewIDs {
			if z.err != nil {
				return
			}
			i, err := privacy.ReadInterview(r.Context(), a.store, route.CallerOrganization(r), id)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted meanwhile
			}
			if z.err = err; err == nil {
				z.addInterview("interviews/"+id.String()+"/", i)
			}
		}
	})
}

// writeTrades writes all trades of a trader as an exportedList, one by one.
func (a *API) writeTrades(r *http.Request, to io.Writer, trader uuid.UUID) error {
	if _, err := io.WriteString(to, `{"data":[`); err != nil {
		return err
	}
	separator := ""
	err := directory.EachTrade(r.Context(), a.store, route.CallerOrganization(r), trader, directory.TradeFilter{}, func(t directory.Trade) error {
		body, err := response.EncodeJSON(traders.TradeOf(t))
		if err != nil {
			return err
		}
		_, err = io.WriteString(to, separator+string(body))
		separator = ","
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, "]}")
	return err
}

// exportFile adds an activity file of a trader to a folder.
func (a *API) exportFile(r *http.Request, z *export, folder string, trader, file uuid.UUID, name string) {
	z.addFile(folder+file.String()+"-"+plainName(name), func(to io.Writer) error {
		return activity.ReadFileContent(r.Context(), a.store, route.CallerOrganization(r), trader, file, to)
	})
}

// plainName returns a name without characters that could form a path.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '/' || c == '\\' || c == ':' {
			return '_'
		}
		return c
	}, name)
}

// viewBody is a view of a share page or a recording.
type viewBody struct {
	Kind     string    `json:"kind"`
	Viewer   *string   `json:"viewer"`
	IPPrefix *string   `json:"ip_prefix"`
	At       time.Time `json:"at"`
}

// addInterview adds the files of an interview under a prefix.
func (z *export) addInterview(prefix string, e privacy.Interview) {
	z.addJSON(prefix+"interview.json", interviews.DetailOf(e.Detail))
	for _, report := range e.Reports {
		z.addText(fmt.Sprintf("%sreports/%d.json", prefix, report.Version), func() ([]byte, error) { return report.Report, nil })
	}
	if e.Consent != nil {
		z.addText(prefix+"consent.txt", func() ([]byte, error) { return []byte(e.Consent.Text), nil })
	}
	if e.VTT != "" {
		z.addText(prefix+"subtitles.vtt", func() ([]byte, error) { return []byte(e.VTT), nil })
	}
	z.addJSON(prefix+"views.json", exportedList[viewBody]{response.ConvertRows(e.Views, func(v viewing.View) viewBody { return viewBody{v.Kind, v.Viewer, v.IPPrefix, v.At} })})
	if len(e.Comments) > 0 {
		z.addJSON(prefix+"comments.json", exportedList[interviews.CommentBody]{response.ConvertRows(e.Comments, interviews.CommentOf)})
	}
	for _, t := range e.Parts {
		z.addTake(prefix, t)
	}
}

// addTake adds the uploaded or written content of a take.
func (z *export) addTake(prefix string, t privacy.Take) {
	name := fmt.Sprintf("%sanswers/%s-%d", prefix, t.QuestionID, t.Take.Take)
	if t.Text != nil {
		z.addText(name+".txt", func() ([]byte, error) { return []byte(*t.Text), nil })
	}
	if len(t.Blobs) == 0 || z.blob == nil {
		return
	}
	z.addFile(name+extensionOf(t.MediaType), func(to io.Writer) error {
		for _, key := range t.Blobs {
			if err := z.copyBlob(to, key); err != nil {
				return err
			}
		}
		return nil
	})
}

func (z *export) copyBlob(to io.Writer, key string) error {
	from, err := z.blob(z.ctx, key)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}

// extensionOf returns the extension of a file of the media type.
func extensionOf(media *string) string {
	if media == nil {
		return ".bin"
	}
	base, _, _ := strings.Cut(*media, ";")
	switch base {
	case "video/webm", "audio/webm":
		return ".webm"
	case "video/mp4", "audio/mp4":
		return ".mp4"
	}
	return ".bin"
}

// eraseTrader answers POST /v1/traders/{id}/erase with 204.
func (a *API) eraseTrader(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if _, err := decode.OptionalBodyOf(r, decode.ReadNothing); err != nil {
		if missing := a.objects.Check(r, route.TradersPath, id); missing != nil {
			return missing
		}
		return err
	}
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := privacy.EraseTrader(r.Context(), a.store, route.NewRepeatableChange(r, render), id); err != nil {
		return problem.ExplainConflict(err, "The trader was just merged with another one. Read the directory again.")
	}
	return render(struct{}{}).Write(w)
}
