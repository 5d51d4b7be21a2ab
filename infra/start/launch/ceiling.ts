import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A commit that raises a ceiling says why in its body. */
const ceilingFile = 'ceiling.json'

const words = {
  sourceLines: 'lines of source',
  testLines: 'lines of tests',
  dataLines: 'lines of data',
  pages: 'Markdown pages',
  pagesKB: 'KB of Markdown pages',
}
/** What a checkout contains, without lockfiles. KB are 1,000 bytes, rounded up. */
type Size = Record<keyof typeof words, number>

const isCode = (path: string): boolean => /\.(ts|tsx|mjs|js)$/.test(path)
const isTest = (path: string): boolean =>
  /\.test\.[tj]sx?$|\/testing\/|\/testing\.tsx?$|contract-suite|\/fixtures?\/|\.fixture\.ts$/.test(path)
const isData = (path: string): boolean =>
  /\.(json|jsonl|ndjson|csv|tsv)$/.test(path) && !path.endsWith('package-lock.json')
const isPage = (path: string): boolean => path.endsWith('.md')

/** @param files texts by path */
export const sizeOf = (files: ReadonlyMap<string, string>): Size => {
  const textsOf = (is: (path: string) => boolean): string[] =>
    [...files].flatMap(([path, text]) => (is(path) ? [text] : []))
  const linesOf = (is: (path: string) => boolean): number =>
    textsOf(is).reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  const pages = textsOf(isPage)
  return {
    sourceLines: linesOf((path) => isCode(path) && !isTest(path)),
    testLines: linesOf((path) => isCode(path) && isTest(path)),
    dataLines: linesOf(isData),
    pages: pages.length,
    pagesKB: Math.ceil(pages.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1_000),
  }
}

const keys = Object.keys(words) as (keyof Size)[]

/** The figures that are above their ceilings, each with what to do. */
export const overCeiling = (size: Size, ceiling: Size): string[] =>
  keys
    .filter((key) => !(size[key] <= ceiling[key]))
    .map(
      (key) =>
        `${size[key]} ${words[key]}; "${key}" in ${ceilingFile} allows ${ceiling[key]}. Delete what the change ` +
        'replaces, or raise the ceiling and say why in the body of the commit.',
    )

/** What is wrong with the commit that last changed the ceilings. */
const unexplainedRaise = (before: Size, after: Size, body: string): string[] =>
  body.trim() === '' && keys.some((key) => after[key] > before[key])
    ? [`The last commit of ${ceilingFile} raises a ceiling. Say why in its body: git commit --amend.`]
    : []

/** @param root of a checkout */
const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

/** What a checkout contains, with files that are not committed yet. */
export const measureSize = (root: string): Size => {
  const listed = git(root, 'ls-files', '-co', '--exclude-standard').trim().split('\n')
  const counted = listed.filter(
    (path) => (isCode(path) || isData(path) || isPage(path)) && existsSync(join(root, path)),
  )
  return sizeOf(new Map(counted.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
}

/** The problems of a checkout. The history of a shallow clone may lack the commit before a raise. */
export const checkCeiling = (root: string): string[] => {
  const ceiling = JSON.parse(readFileSync(join(root, ceilingFile), 'utf8')) as Size
  return [...overCeiling(measureSize(root), ceiling), ...lastRaise(root)]
}

const lastRaise = (root: string): string[] => {
  try {
    const commit = git(root, 'log', '-1', '--format=%H', '--', ceilingFile).trim()
    const [before, after] = [`${commit}^`, commit].map(
      (at) => JSON.parse(git(root, 'show', `${at}:${ceilingFile}`)) as Size,
    )
    if (before === undefined || after === undefined) return []
    return unexplainedRaise(before, after, git(root, 'log', '-1', '--format=%b', commit))
  } catch {
    // its first commit, the edge of a shallow clone, or no repository
    return []
  }
}
