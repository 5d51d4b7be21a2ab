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
