package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// userOperations are about users.
var userOperations = map[string]Operation{
	"listUsers": {
		Tag: tagUsers, Summary: "List users",
		Description: "Lists the people of the organization who can sign in, by name. Removed users are not included.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The users.", Body: collection[userBody]{}, Headers: []string{"Link"}}},
	},
	"getUser": {
		Tag: tagUsers, Summary: "Retrieve a user",
		Description: "Returns a user of the organization.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The user.", Body: userBody{}}},
	},
	"createUser": {
		Tag: tagUsers, Summary: "Add a user",
		Description: "Adds a user and returns a temporary password. The password is shown only once. It is valid for seven days and only for setting a new password after " +
			"signing in.",
		Body:     Body{Name: "NewUser", About: "The user to add.", Read: func(a *API, o *decode.Object) { a.readNewUser(o) }},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The user, with the temporary password.", Body: userCreatedBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"updateUser": {
		Tag: tagUsers, Summary: "Update a user",
		Description: "Updates a user's name, email or role. A change of email or role ends the user's sessions immediately: once this request has been answered, requests " +
			"in them no longer change or return anything. A change of email also deletes the password and the link to an account at the OpenID Connect provider; " +
			"reset the password to get a new one. The last owner who can sign in must remain one.",
		Conditional: true,
		Body:        Body{Name: "UserPatch", About: "The fields to update. Absent fields are unchanged.", Read: readerOf(readUserPatch)},
		Answers:     []Answer{{Status: http.StatusOK, About: "The updated user.", Body: userBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"removeUser": {
		Tag: tagUsers, Summary: "Remove a user",
		Description: "Removes a user immediately. Once this request has been answered, requests in the user's sessions no longer change or return anything, even if they " +
			"were already in progress. What the user did is still shown with their name. Removing a removed user has no effect and returns the same response. The " +
			"last owner cannot be removed.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The user is removed."}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"resetUserPassword": {
		Tag: tagUsers, Summary: "Reset a user's password",
		Description: "Replaces the user's password with a new temporary one and returns it. The password is shown only once. The user's sessions end immediately.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The user, with the temporary password.", Body: userCreatedBody{}}},
	},
}
