const given = process.env['PROPERTY_SEED']

/** Whether this run searches new cases. */
export const isSearch = given !== undefined

/** The seed of generated cases: the same in each `npm test`, and a new one in each search. */
export const caseSeed = Number(given ?? 1)
