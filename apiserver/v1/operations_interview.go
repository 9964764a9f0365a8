package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/internal/analysis/load"
)

func listInterviewsOperation() Operation {
	return Operation{
		ID: "listInterviews", Tag: tagInterviews, Summary: "List interviews",
		Description: "Lists interviews, newest first unless `sort` says otherwise. `kpis` are figures over the whole organization: the filters and the page do not touch them, `kpi_from` and `kpi_to` do.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of interviews with figures.", Body: interviewListBody{}, Headers: []string{"Link"}}},
	}
}

func (a *API) createInterviewOperation() Operation {
	return Operation{
		ID: "createInterview", Tag: tagInterviews, Summary: "Make an interview",
		Description: "Makes an interview and tells the link for its trader, this once. A trader who is named by members is found by email, or added: where a platform sends a trader of the same email later, the two become one. " +
			"With `auto_questions`, questions from the trader's own data are prepared, and a sync of the trader's integration is asked for; the trader may start before either has ended.",
		Body:     Body{Name: "NewInterview", About: "The interview.", Read: func(o *decode.Object) { a.newInterviewFrom(o) }},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The interview with its link.", Body: madeInterviewBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.ReferenceTaken, problem.Conflict},
	}
}

func interviewOperation() Operation {
	return Operation{
		ID: "getInterview", Tag: tagInterviews, Summary: "Read an interview", Conditional: true,
		Description: "Reads an interview with its report, transcript, integrity events and activity. A report lists observations; it passes nobody and fails nobody.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The interview.", Body: interviewDetailBody{}}},
	}
}

func interviewOptionsOperation() Operation {
	return Operation{
		ID: "getInterviewOptions", Tag: tagInterviews, Summary: "Read what a new interview may choose from", Conditional: true,
		Description: "Reads the languages, topics, presets and the default questions of this server, and what traders read of the organization. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusOK, About: "What there is to choose from.", Body: optionsBody{}}},
	}
}

func interviewTradesOperation() Operation {
	return Operation{
		ID: "listInterviewTrades", Tag: tagInterviews, Summary: "List the trades behind a report",
		Description: "Lists the trades that the newest report of an interview points at, each once, with the accounts and traders that they belong to. Trades that have gone since are left out. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The trades.", Body: collection[evidenceTradeBody]{}}},
	}
}

func deleteInterviewOperation() Operation {
	return Operation{
		ID: "deleteInterview", Tag: tagInterviews, Summary: "Delete an interview",
		Description: "Deletes an interview in whatever status with recording, transcript, report, events, links and activity file. Links and playback addresses are dead at once. A trader whom the interview brought, and whom nobody has touched since, goes with the last of his interviews.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The interview is gone."}},
		Problems:    []problem.Code{problem.LegalHold},
	}
}

func decideOperation() Operation {
	return Operation{
		ID: "decideInterview", Tag: tagInterviews, Summary: "Record a decision",
		Description: "Records what was decided on an interview, in whatever status. A later decision takes the place of an earlier one, which the history keeps. Nothing but this route makes decisions.",
		Body:        Body{Name: "NewDecision", About: "The decision.", Read: func(o *decode.Object) { readDecision(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The interview as it is now.", Body: interviewBody{}}},
	}
}

func shareOperation() Operation {
	return Operation{
		ID: "shareInterview", Tag: tagInterviews, Summary: "Make a share link",
		Description: "Makes a link to a read-only page and tells it, this once. It takes the place of the link before.",
		Body:        Body{Name: "NewShare", About: "How long it works, and what it shows.", Optional: true, Read: func(o *decode.Object) { readShare(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The link.", Body: sharedBody{}}},
	}
}

func unshareOperation() Operation {
	return Operation{
		ID: "unshareInterview", Tag: tagInterviews, Summary: "Revoke the share link",
		Description: "Revokes the link to the read-only page at once.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The link is dead."}},
		Problems:    []problem.Code{problem.ShareNotFound},
	}
}

func reissueOperation() Operation {
	return Operation{
		ID: "reissueInvite", Tag: tagInterviews, Summary: "Replace the invite",
		Description: "Gives a trader who has not started a fresh link, also after the invite has expired. The link before is dead at once.",
		Body:        Body{Name: "Reissue", About: "For how long.", Optional: true, Read: func(o *decode.Object) { windowHours(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The fresh link.", Body: reissuedBody{}}},
		Problems:    []problem.Code{problem.InterviewAlreadyStarted, problem.InterviewDeclined},
	}
}

func retakeOperation() Operation {
	return Operation{
		ID: "retakeInterview", Tag: tagInterviews, Summary: "Hold an interview again",
		Description: "Makes a new interview with the same trader as one that is over, which stays as it is. What the body does not say is as before, but for the reference.",
		Body:        Body{Name: "Retake", About: "What is different.", Optional: true, Read: func(o *decode.Object) { readRetake(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The new interview with its link.", Body: madeInterviewBody{}, Headers: []string{"Location"}}},
		Problems:    []problem.Code{problem.InterviewStillOpen},
	}
}

func regenerateOperation() Operation {
	return Operation{
		ID: "regenerateReport", Tag: tagInterviews, Summary: "Write the report anew",
		Description: "Queues a new version of the report, with a fresh look at the trades. The version before can be read until then. While the trader is answering, the job waits for the answers; one is queued at most. Where the trader has not started, or has left no answer, there is nothing to report on. Where the recording or the transcript could not be made, they are tried again first, as long as what was uploaded is kept. Once the interview's record has gone nothing is queued.",
		Answers:     []Answer{{Status: http.StatusAccepted, About: "It is queued.", Body: jobBody{}}},
		Problems:    []problem.Code{problem.NothingToReport},
	}
}

func playbackOperation() Operation {
	return Operation{
		ID: "playInterview", Tag: tagInterviews, Summary: "Get addresses to play the recording",
		Description: "Makes addresses under which the recording is played without a key, for ten minutes unless this server is configured otherwise. Ask for new ones at `refresh_after`. Each call is noted.",
		Answers:     []Answer{{Status: http.StatusOK, About: "How to play it.", Body: playbackBody{}}},
		Problems:    []problem.Code{problem.MediaNotAvailable, problem.MediaProcessing},
	}
}

func subtitlesOperation() Operation {
	return Operation{
		ID: "getSubtitles", Tag: tagInterviews, Summary: "Read the captions", Conditional: true,
		Description: "Reads the captions as WebVTT.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The captions.", Media: []string{mediaVTT}}},
		Problems:    []problem.Code{problem.SubtitlesNotFound},
	}
}

func requestSubtitlesOperation() Operation {
	return Operation{
		ID: "requestSubtitles", Tag: tagInterviews, Summary: "Make captions",
		Description: "Queues the making of captions, in whatever status: it begins when there is a transcript. Asked for again, it is the same job until that has ended. Where the recording or the transcript could not be made, they are tried again first, as long as what was uploaded is kept. Once the interview's record has gone nothing is queued.",
		Answers:     []Answer{{Status: http.StatusAccepted, About: "It is queued.", Body: jobBody{}}},
	}
}

func uploadInterviewFileOperation() Operation {
	return Operation{
		ID: "uploadInterviewFile", Tag: tagInterviews, Summary: "Upload the activity file",
		Description: "Reads a statement of trades for accounts that no integration covers, as the upload of a trader's activity file does, and makes it the interview's in the place of an earlier one. Where there is a report, a new version is queued. Under a legal hold an earlier file stays.",
		Body:        Body{Name: "ActivityFileUpload", About: "The file, and what is known of it.", Read: func(o *decode.Object) { readUploadForm(o, new(upload)) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The file has been read.", Body: activityFileBody{}, Headers: []string{"Location"}}},
		Problems:    []problem.Code{problem.InvalidState, problem.LegalHold, problem.Conflict, problem.FileTooLarge, problem.UnsupportedFileType, problem.FileNotUnderstood, problem.AmbiguousDates},
	}
}

func interviewFileOperation() Operation {
	return Operation{
		ID: "downloadInterviewFile", Tag: tagInterviews, Summary: "Download the activity file", Conditional: true,
		Description: "Answers with the bytes as they were uploaded.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The file.", Media: []string{load.MediaCSV, load.MediaXLSX, load.MediaHTML}, Headers: []string{"Content-Disposition"}}},
		Problems:    []problem.Code{problem.ActivityFileNotFound},
	}
}

func assignOperation() Operation {
	return Operation{
		ID: "assignInterview", Tag: tagInterviews, Summary: "Assign an interview",
		Description: "Gives an interview to a person of the organization, or to nobody.",
		Body:        Body{Name: "Assignment", About: "Who gets it.", Read: func(o *decode.Object) { readAssignment(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The interview as it is now.", Body: interviewBody{}}},
	}
}

func communicateOperation() Operation {
	return Operation{
		ID: "markCommunicated", Tag: tagInterviews, Summary: "Note that the trader was told",
		Description: "Notes that the trader was told the outcome, or corrects such a note.",
		Body:        Body{Name: "CommunicationPatch", About: "Whether the trader was told.", Read: func(o *decode.Object) { readCommunication(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The interview as it is now.", Body: interviewBody{}}},
	}
}

func holdOperation() Operation {
	return Operation{
		ID: "holdInterview", Tag: tagInterviews, Summary: "Hold an interview",
		Description: "Keeps an interview from being deleted, and from being purged when its retention is over, until the hold is released. Beyond the contract.",
		Body:        Body{Name: "NewLegalHold", About: "Why.", Optional: true, Read: func(o *decode.Object) { readHold(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The interview as it is now.", Body: interviewBody{}}},
	}
}

func releaseOperation() Operation {
	return Operation{
		ID: "releaseInterview", Tag: tagInterviews, Summary: "Release an interview",
		Description: "Ends a legal hold. Where there is none, nothing changes. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "Nothing holds the interview."}},
	}
}

func exportInterviewOperation() Operation {
	return Operation{
		ID: "exportInterview", Tag: tagInterviews, Summary: "Export an interview",
		Description: "Answers with a zip file of everything that is known of an interview: its members, every version of the report, transcript, events, consent, captions, views, answers with their recordings, and the activity file. It is noted. The report and the activity are the firm's own: where they compare accounts, they name other traders' by their ids, which are to be taken out before the trader gets the file. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The export.", Media: []string{mediaZIP}, Headers: []string{"Content-Disposition"}}},
	}
}

func confirmClaimOperation() Operation {
	return Operation{
		ID: "confirmClaim", Tag: tagInterviews, Summary: "Confirm a claim",
		Description: "Notes that somebody has heard the quote of a claim and says that it is what was said, and queues a version of the report that knows it. Confirmed again, nothing changes. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusAccepted, About: "It is noted.", Body: jobBody{}}},
		Problems:    []problem.Code{problem.ClaimNotFound},
	}
}

func exportTraderOperation() Operation {
	return Operation{
		ID: "exportTrader", Tag: tagTraders, Summary: "Export a trader",
		Description: "Answers with a zip file of everything that is known of a trader: profile, accounts, payouts, notes, trades, activity files and interviews. It is noted. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The export.", Media: []string{mediaZIP}, Headers: []string{"Content-Disposition"}}},
	}
}

func eraseTraderOperation() Operation {
	return Operation{
		ID: "eraseTrader", Tag: tagTraders, Summary: "Erase a trader",
		Description: "Deletes everything about a trader: interviews, notes, activity files, accounts, trades and payouts. An empty, archived row stays under the id. What the platform sends of the person is left out from then on. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The trader is erased."}},
		Problems:    []problem.Code{problem.LegalHold, problem.Conflict},
	}
}

func organizationOperation() Operation {
	return Operation{
		ID: "getOrganization", Tag: tagOrganization, Summary: "Read the organization", Conditional: true,
		Description: "Reads the settings of the organization whose key or person asks. Beyond the contract.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The organization.", Body: settingsBody{}}},
	}
}

func updateOrganizationOperation() Operation {
	return Operation{
		ID: "updateOrganization", Tag: tagOrganization, Summary: "Change the organization", Conditional: true,
		Description: "Changes the settings that the body holds and leaves the others as they are. Beyond the contract.",
		Body:        Body{Name: "OrganizationPatch", About: "The members to change.", Read: func(o *decode.Object) { readOrganizationPatch(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The organization as it is now.", Body: settingsBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	}
}
