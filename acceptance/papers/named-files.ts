const extensions = 'ts|tsx|mjs|js|md|sql|yaml|yml|json|sh|cfg|conf|tf|html|css|svg|service|Dockerfile'
/** A bare name means a file of ours only in these languages; users have files of the others. */
const ownExtension = /\.(ts|tsx|mjs|md)$/
const name = new RegExp(
  `(?<![\\w/.:@<>{}*$~-])(?:\\.{1,2}/)*(?:[\\w.-]+/)*[\\w-][\\w.-]*\\.(?:${extensions})(?![\\w/*{<-])`,
  'g',
)
/** Build results, which are not in the repository. */
const built = /\/dist$/
const folder = /(?<![\w/.:@<>{}*$~-])(?:[\w-]+\/)+[\w-]*(?![\w/*{<-]|\.\w)/g

/** A fast test for texts that may name a file or folder. */
const mayName = /[\w.-]\/[\w-]|\w\.(?:tsx?|mjs|md)\b/

/** The files and folders of a repository, to check the names in texts. */
export type Tree = {
  has(path: string): boolean
  isTop(folder: string): boolean
  /** Whether a path matches a file without its extension or folders in between, such as `contracts/slots`. */
  matches(path: string): boolean
}

export const createTree = (files: readonly string[]): Tree => {
  const ends = new Set<string>()
  const tops = new Set<string>()
  for (const file of files) {
    const parts = file.split('/')
    if (parts.length > 1) tops.add(parts[0] ?? '')
    for (let from = 0; from < parts.length; from++) {
      // a name may omit its first folders, and a folder its end
      ends.add(parts.slice(from).join('/'))
      for (let to = from + 1; to < parts.length; to++) ends.add(parts.slice(from, to).join('/'))
    }
  }
  return {
    has: (path) => ends.has(path),
    isTop: (one) => tops.has(one),
    matches: (path) => files.some((file) => leadsTo(path.split('/'), file.split('/'))),
  }
}

/**
 * Whether each part of a short path is the start of a part of the whole path, in order, with the same first
 * part.
 */
const leadsTo = (short: readonly string[], whole: readonly string[]): boolean => {
  if (short[0] !== whole[0]) return false
  let from = 1
  return short.slice(1).every((part) => {
    from = whole.findIndex((one, index) => index >= from && one.startsWith(part)) + 1
    return from > 0
  })
}

/**
 * The files and folders that a text names and the tree lacks. A file may be named by the end of its path; a
 * folder counts if its path starts at the root.
 */
export const missingFiles = (text: string, tree: Tree): string[] => {
  const missing: string[] = []
  if (!mayName.test(text)) return missing
  const plain = text.replaceAll(/\bhttps?:\/\/[^\s)`'">]+/g, ' ')
  for (const [found] of plain.matchAll(name)) {
    const path = found.replace(/^(?:\.{1,2}\/)+/, '')
    const isOurs = path.includes('/') ? tree.isTop(path.split('/')[0] ?? '') : true
    if (!ownExtension.test(path) && !(isOurs && path.includes('/'))) continue
    if (!tree.has(path)) missing.push(path)
  }
  for (const [found] of plain.matchAll(folder)) {
    const path = found.replace(/\/$/, '')
    if (!path.includes('/') || !tree.isTop(path.split('/')[0] ?? '') || built.test(path)) continue
    if (!tree.has(path) && !tree.matches(path)) missing.push(path)
  }
  return missing
}
