/**
 * Whether a program is an earlier release than another. False for versions without three numbers, such as custom
 * builds.
 */
export const isOlderVersion = (version: string, than: string): boolean => {
  const [a, b] = [partsOf(version), partsOf(than)]
  if (a === null || b === null) return false
  const differing = a.findIndex((part, index) => part !== b[index])
  return differing !== -1 && (a[differing] ?? 0) < (b[differing] ?? 0)
}

const partsOf = (version: string): number[] | null => {
  const found = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+].*)?$/.exec(version)
  return found === null ? null : found.slice(1).map(Number)
}
