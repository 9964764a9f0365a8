package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

func listUsersOperation() Operation {
	return Operation{
		ID: "listUsers", Tag: tagUsers, Summary: "List the people",
		Description: "Lists the people of the organization who may sign in, by name. Those who were removed are left out.",
		Answers:     []Answer{{Status: http.StatusOK, About: "All people.", Body: collection[userBody]{}}},
	}
}

func userOperation() Operation {
	return Operation{
		ID: "getUser", Tag: tagUsers, Summary: "Read a person",
		Description: "Reads a person of the organization.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The person.", Body: userBody{}}},
	}
}

func (a *API) createUserOperation() Operation {
	return Operation{
		ID: "createUser", Tag: tagUsers, Summary: "Add a person",
		Description: "Adds a person and tells the password to begin with, this once. It is good for seven days, and for one thing: the person has to replace it after signing in.",
		Body:        Body{Name: "NewUser", About: "Who is added.", Read: func(o *decode.Object) { a.readNewUser(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The person, with the password to begin with.", Body: userCreatedBody{}, Headers: []string{"Location"}}},
		Problems:    []problem.Code{problem.Conflict},
	}
}

func updateUserOperation() Operation {
	return Operation{
		ID: "updateUser", Tag: tagUsers, Summary: "Change a person",
		Description: "Changes a person's name, address or role. With another address or role the person's sessions end at once: when this has been answered no request in them does or tells anything any more. " +
			"With another address the person also loses the password and the link to a provider's account; a reset gives a new password. The last owner stays one.",
		Conditional: true,
		Body:        Body{Name: "UserPatch", About: "What is changed; what is absent stays.", Read: func(o *decode.Object) { readUserPatch(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The person as changed.", Body: userBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	}
}

func removeUserOperation() Operation {
	return Operation{
		ID: "removeUser", Tag: tagUsers, Summary: "Remove a person",
		Description: "Removes a person at once. When this has been answered no request in the person's sessions does or tells anything any more, those under way included. " +
			"What the person did keeps the name. Removing a person again changes nothing and answers the same; the last owner cannot be removed.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The person is removed."}},
		Problems:    []problem.Code{problem.Conflict},
	}
}

func resetPasswordOperation() Operation {
	return Operation{
		ID: "resetUserPassword", Tag: tagUsers, Summary: "Reset a person's password",
		Description: "Makes a new password to begin with in the place of the person's, and tells it, this once. The person's sessions end at once.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The person, with the password to begin with.", Body: userCreatedBody{}}},
	}
}
