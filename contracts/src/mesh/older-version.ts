/**
 * Whether a program is an earlier release than another, in the order of Semantic Versioning: 1.0.0-rc.1 is before
 * 1.0.0. False for versions without three numbers, such as custom builds.
 */
export const isOlderVersion = (version: string, than: string): boolean => {
  const [a, b] = [partsOf(version), partsOf(than)]
  return a !== null && b !== null && order(a, b) < 0
}

/** The three numbers, and the identifiers of a pre-release. */
type Parts = { numbers: readonly string[]; pre: readonly string[] }

const partsOf = (version: string): Parts | null => {
  const [, numbers, pre] =
    /^v?(\d{1,9}\.\d{1,9}\.\d{1,9})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+.*)?$/.exec(version) ?? []
  return numbers === undefined ? null : { numbers: numbers.split('.'), pre: pre?.split('.') ?? [] }
}

const order = (a: Parts, b: Parts): number => {
  const release = listOrder(a.numbers, b.numbers)
  // a release is after its pre-releases
  if (release !== 0 || a.pre.length === 0 || b.pre.length === 0) return release || b.pre.length - a.pre.length
  return listOrder(a.pre, b.pre)
}

const listOrder = (a: readonly string[], b: readonly string[]): number => {
  const at = a.findIndex((part, index) => part !== b[index])
  const [one, other] = [a[at], b[at]]
  return one === undefined || other === undefined ? a.length - b.length : identifierOrder(one, other)
}

/** A number is before a word. */
const identifierOrder = (a: string, b: string): number => {
  const [aNumber, bNumber] = [a, b].map((text) => (/^\d+$/.test(text) ? Number(text) : null))
  if (aNumber !== null && bNumber !== null) return (aNumber ?? 0) - (bNumber ?? 0)
  if (aNumber === null && bNumber === null) return a < b ? -1 : 1
  return aNumber === null ? 1 : -1
}
