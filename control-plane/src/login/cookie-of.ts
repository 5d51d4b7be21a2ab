/** The value of a cookie in a `Cookie` header; null if missing, malformed or sent twice. */
export const cookieOf = (header: string | undefined, name: string, shape: RegExp): string | null => {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && shape.test(value) ? value : null
}
