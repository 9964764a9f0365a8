package syncing

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// streamRecord is the definition of a JSON record of a stream's state.
const streamRecord = `stream text, watermark timestamptz, run jsonb, last_cycle_id uuid, last_run_id uuid, last_status text,
        last_error jsonb, last_success_at timestamptz, ask_again_at timestamptz`

// streamRow is a stream's state in the JSON that is exchanged with the database, with the columns'
// names.
type streamRow struct {
	Stream        record.Stream `json:"stream,omitempty"`
	Watermark     *time.Time    `json:"watermark"`
	Run           *OpenRun      `json:"run"`
	LastCycleID   *uuid.UUID    `json:"last_cycle_id"`
	LastRunID     *uuid.UUID    `json:"last_run_id"`
	LastStatus    *RunStatus    `json:"last_status"`
	LastError     *Error        `json:"last_error"`
	LastSuccessAt *time.Time    `json:"last_success_at"`
	AskAgainAt    *time.Time    `json:"ask_again_at"`
}

// encodeStreams returns the streams as a JSON array of rows.
func encodeStreams(streams map[record.Stream]*Stream) (string, error) {
	rows := make([]streamRow, 0, len(streams))
	for name, st := range streams {
		rows = append(rows, streamRow{
			Stream: name, Watermark: store.OrNil(st.Watermark), Run: st.Run, LastCycleID: store.OrNil(st.LastCycleID), LastRunID: store.OrNil(st.LastRunID),
			LastStatus: store.OrNil(st.LastStatus), LastError: st.LastError, LastSuccessAt: store.OrNil(st.LastSuccessAt), AskAgainAt: store.OrNil(st.AskAgainAt),
		})
	}
	text, err := json.Marshal(rows)
	return string(text), err
}

// decodeStreams reads a JSON object of rows by stream.
func decodeStreams(text []byte) (map[record.Stream]*Stream, error) {
	var rows map[record.Stream]streamRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("decode streams: %w", err)
	}
	streams := make(map[record.Stream]*Stream, len(rows))
	for name, r := range rows {
		streams[name] = &Stream{
			Watermark: store.Deref(r.Watermark), Run: r.Run, LastCycleID: store.Deref(r.LastCycleID), LastRunID: store.Deref(r.LastRunID),
			LastStatus: store.Deref(r.LastStatus), LastError: r.LastError, LastSuccessAt: store.Deref(r.LastSuccessAt), AskAgainAt: store.Deref(r.AskAgainAt),
		}
	}
	return streams, nil
}
