// What the types of the document say about an operation.
import type { paths } from "./schema.js";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that have the method. */
export type Path<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];

type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;

type Parameters<O, K extends string> = O extends { parameters: infer A } ? (K extends keyof A ? Exclude<A[K], undefined> : never) : never;

/** An option that must be given if the operation requires one of its members, and has no place if there are none. */
type Option<Name extends string, T> = [T] extends [never] ? { [N in Name]?: never } : {} extends T ? { [N in Name]?: T } : { [N in Name]: T };

type Contents<T> = T extends { content: infer C } ? C : never;

/** What can be sent as the media type. */
type Sent<C> = {
  [Type in keyof C]: Type extends "application/json" ? C[Type] : Type extends "multipart/form-data" ? FormData : string | Blob | ArrayBuffer | Uint8Array;
}[keyof C];

type BodyOption<O> = O extends { requestBody: infer B }
  ? { body: Sent<Contents<B>> }
  : O extends { requestBody?: infer B }
    ? { body?: Sent<Contents<Exclude<B, undefined>>> }
    : { body?: never };

/** The body of an operation. */
export type Body<M extends Method, P extends Path<M>> = BodyOption<Operation<M, P>>["body"];

/** What an operation takes: the parameters of its path, its query, and its body. */
export type Input<M extends Method, P extends Path<M>> = Option<"path", Parameters<Operation<M, P>, "path">> &
  Option<"query", Parameters<Operation<M, P>, "query">> &
  BodyOption<Operation<M, P>>;

type Success = 200 | 201 | 202 | 204;

type Received<T> = T extends { content: infer C } ? ("application/json" extends keyof C ? C["application/json"] : [keyof C] extends [never] ? undefined : Response) : undefined;

/** What an operation answers: an object, nothing, or a Response if it is a file. */
export type Answer<M extends Method, P extends Path<M>> =
  Operation<M, P> extends { responses: infer R } ? { [S in keyof R]: S extends Success ? Received<R[S]> : never }[keyof R] : never;

/** The paths of lists, which have pages. */
export type ListPath = { [P in Path<"get">]: Answer<"get", P> extends { data: unknown[]; meta: { next_cursor: string | null } } ? P : never }[Path<"get">];

/** What a list contains. */
export type Item<P extends ListPath> = Answer<"get", P> extends { data: (infer T)[] } ? T : never;
