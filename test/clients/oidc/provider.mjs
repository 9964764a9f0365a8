// An OpenID Connect provider whose people are made up as they sign in: whoever
// signs in as NAME is the subject NAME with the address NAME, or another one
// after GET /move?subject=NAME&email=ADDRESS. An address that begins with
// "unverified" is not verified.
//
//   OIDC_ISSUER=http://127.0.0.1:PORT OIDC_REDIRECT=URL node provider.mjs
import Provider from "oidc-provider";

const issuer = process.env.OIDC_ISSUER;

/** The addresses of those who have moved, by subject. */
const moved = new Map();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "assay",
      client_secret: "the-secret-of-assay-at-the-provider",
      redirect_uris: [process.env.OIDC_REDIRECT],
    },
  ],
  // Some providers put the address into the ID token, others do not.
  conformIdTokenClaims: process.env.OIDC_CLAIMS !== "token",
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  pkce: { required: () => true },
  cookies: { keys: ["of the test alone"] },
  findAccount(_, sub) {
    const email = moved.get(sub) ?? sub;
    return { accountId: sub, claims: () => ({ sub, email, email_verified: !email.startsWith("unverified"), name: "Somebody" }) };
  },
});

provider.use((ctx, next) => {
  if (ctx.path !== "/move") return next();
  moved.set(ctx.query.subject, ctx.query.email);
  ctx.body = "moved";
});

const { hostname, port } = new URL(issuer);
provider.listen(Number(port), hostname, () => console.log("listening"));
