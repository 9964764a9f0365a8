package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// spareParent is the parent of a cluster whose account cannot reach the checkout.
const spareParent = "/var/tmp"

// place is the folder of a cluster and the user who owns it.
type place struct {
	home    string        // folder of the cluster, owned by the account
	account *proc.Account // nil means the launcher's own
}

// ensurePlace makes the folder link, or finds the one that an earlier run made, so
// that the server's account can work in it. Postgres refuses to run as root,
// so root hands it to another account; where that account cannot reach the
// folder because a parent is closed to it, it gets the capability to search
// folders, or, where that cannot be given, link leads to a folder elsewhere.
func ensurePlace(ctx context.Context, sup *proc.Supervisor, link string) (place, error) {
	if os.Geteuid() != 0 {
		return placeOwn(link)
	}
	account, err := serverAccount()
	if err != nil {
		return place{}, err
	}
	target, err := os.Readlink(link)
	if err == nil {
		if _, err := os.Stat(target); err == nil {
			return place{target, account}, nil
		}
		if err := os.Remove(link); err != nil { // its target has been cleaned away
			return place{}, err
		}
	}
	if err := makeOwned(link, account); err != nil {
		return place{}, err
	}
	for _, search := range []bool{false, true} {
		account.Search = search
		if canReach(ctx, sup, account, link) {
			return place{link, account}, nil
		}
	}
	account.Search = false
	return placeElsewhere(link, account)
}

// placeOwn makes a folder for a cluster that runs as the launcher's user.
func placeOwn(link string) (place, error) {
	if err := os.MkdirAll(link, 0o700); err != nil {
		return place{}, err
	}
	info, err := os.Stat(link)
	if err != nil {
		return place{}, err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return place{}, fmt.Errorf("%s belongs to another user (uid %d): run as root as before, or remove it as root and start afresh", link, stat.Uid)
	}
	return place{home: link}, nil
}

// placeElsewhere puts the cluster where every account may go.
func placeElsewhere(link string, account *proc.Account) (place, error) {
	if err := os.Remove(link); err != nil {
		return place{}, fmt.Errorf("%s cannot be reached by user %s: %w", link, account.Name, err)
	}
	home, err := os.MkdirTemp(spareParent, "assay-postgres-")
	if err != nil {
		return place{}, err
	}
	if err := errors.Join(makeOwned(home, account), os.Symlink(home, link)); err != nil {
		return place{}, errors.Join(err, os.RemoveAll(home))
	}
	return place{home, account}, nil
}

// serverAccount returns the account that root runs Postgres as.
func serverAccount() (*proc.Account, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &proc.Account{Name: name, UID: uint32(uid), GID: uint32(gid)}, nil
	}
	return nil, errors.New("postgres does not run as root, and there is neither a user postgres nor a user nobody to run it as")
}

// makeOwned makes a folder that belongs to the account alone.
func makeOwned(dir string, account *proc.Account) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chown(dir, int(account.UID), int(account.GID)); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a folder
}

// canReach reports whether the account can look into the folder.
func canReach(ctx context.Context, sup *proc.Supervisor, account *proc.Account, dir string) bool {
	ls, err := exec.LookPath("ls")
	if err != nil {
		return false
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	// The dot asks for the folder's content, beyond a link.
	spec := proc.Spec{Name: "ls", Path: ls, Args: []string{"-a", filepath.Join(dir) + "/."}, Dir: "/", Account: account, Grace: time.Second}
	return sup.RunTo(ctx, spec, null, null) == nil
}
