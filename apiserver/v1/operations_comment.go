package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/problem"
)

// commentOperations are about comments on interviews.
var commentOperations = map[string]Operation{
	"listComments": {
		Tag: tagInterviews, Summary: "List comments",
		Description: "Lists the comments on an interview, oldest first. Only people and keys of the organization can read them. Neither the trader nor a shared page shows them.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The comments.", Body: collection[commentBody]{}, Headers: []string{"Link"}}},
	},
	"createComment": {
		Tag: tagInterviews, Summary: "Add a comment",
		Description: "Adds a comment to an interview in any status. The interview then waits for the users whom the comment mentions: see the `mentioned` filter of the list of " +
			"interviews. It stops waiting for the author. An interview has at most 1000 comments.",
		Body:     Body{Name: "NewComment", About: "The comment.", Read: readerOf(readComment)},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The comment.", Body: commentBody{}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"replaceComment": {
		Tag: tagInterviews, Summary: "Edit a comment",
		Description: "Replaces a comment. Only its author can do this. Users who have responded to a mention need not respond again.",
		Body:        Body{Name: "NewComment", About: "The comment.", Read: readerOf(readComment)},
		Answers:     []Answer{{Status: http.StatusOK, About: "The edited comment.", Body: commentBody{}}},
		Problems:    []problem.Code{problem.NotAuthor},
	},
	"deleteComment": {
		Tag: tagInterviews, Summary: "Delete a comment",
		Description: "Deletes a comment with its mentions. Only its author can do this.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The comment is deleted."}},
		Problems:    []problem.Code{problem.NotAuthor},
	},
	"dismissMentions": {
		Tag: tagInterviews, Summary: "Dismiss your mentions",
		Description: "Marks the mentions of the signed-in user in an interview as done, so that it no longer waits for the user. An API key cannot be mentioned, so nothing changes for it.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "No mention waits for the user."}},
	},
}
