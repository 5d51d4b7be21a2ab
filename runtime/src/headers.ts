/** The members of a comma-separated list (RFC 9110, 5.6.1), trimmed, without empty ones. None may contain a comma. */
export const listMembers = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')

/** A member of `Accept` or `Accept-Encoding`, in lower case. `weight` is from 0, not acceptable, to 1. */
export type Accepted = { name: string; parameters: ReadonlyMap<string, string>; weight: number }

/** What a client accepts, in its order (RFC 9110, 12.4.2). An invalid weight is 0. */
export const acceptedBy = (header: string | undefined): Accepted[] =>
  listMembers(header?.toLowerCase()).map((member) => {
    const [name = '', ...rest] = member.split(';').map((part) => part.trim())
    const parameters = new Map(
      rest.map((part) => [before(part, '='), part.slice(before(part, '=').length + 1)]),
    )
    const weight = Number(parameters.get('q') ?? 1)
    return { name, parameters, weight: weight >= 0 && weight <= 1 ? weight : 0 }
  })

const before = (text: string, end: string): string => text.split(end, 1)[0] ?? ''

/** The values of a cookie in a `Cookie` header, as they were sent; more than one is possible (RFC 6265 4.2.2). */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))

/** The first value of a cookie that is not empty; undefined: there is none. */
export const cookieValue = (header: string | undefined, name: string): string | undefined =>
  cookieValues(header, name).find((value) => value !== '')
