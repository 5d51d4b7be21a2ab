/** A request's head: its fields as alternating names and values. */
type RequestHead = { method: string; path: string; fields: readonly string[] }

const notInValues = /[^\t\x20-\x7e\x80-\xff]/
const notInPaths = /[^\x21-\x7e]/

/**
 * The text of a request's head, sent as latin1.
 * @throws TypeError when a part would end its line: the caller has not validated it
 */
export const requestHead = ({ method, path, fields }: RequestHead): string => {
  if (notInPaths.test(path)) throw new TypeError('a path contains an invalid character')
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let at = 0; at < fields.length; at += 2) {
    const value = fields[at + 1] ?? ''
    if (notInValues.test(value)) {
      throw new TypeError(`the value of ${fields[at]} contains an invalid character`)
    }
    head += `${fields[at]}: ${value}\r\n`
  }
  return `${head}\r\n`
}
