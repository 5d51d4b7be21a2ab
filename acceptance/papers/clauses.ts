/** A clause's id, as `S-906`. */
const id = /\bS-\d{3,4}\b/g

/** The ids of a specification's clauses, in their order. */
export const clausesOf = (specification: string): string[] =>
  [...specification.matchAll(/^- \*\*(S-\d+)\*\* /gm)].map((match) => match[1] ?? '')

export const duplicates = (ids: readonly string[]): string[] =>
  ids.filter((one, index) => ids.indexOf(one) !== index)

/** The cited ids that are not clauses. */
export const missingClauses = (text: string, clauses: ReadonlySet<string>): string[] =>
  text.includes('S-')
    ? [...text.matchAll(id)].map(([cited]) => cited).filter((cited) => !clauses.has(cited))
    : []
