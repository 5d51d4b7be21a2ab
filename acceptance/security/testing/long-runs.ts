const [shortBytes, longBytes] = [64 * 1024, 256 * 1024]
/** Four times the text may take six times the time: a measurement is never exact. */
const growthMax = 6
/** The system counts CPU time in ticks of 4 ms: below this, growth is noise. */
const soonMs = 40

const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at))
/** What grammars give a meaning to. */
const signs = [...'a1 \t\n"\'<&{}[](:/\\=-@']

/** What parts of grammars look like. */
const parts = [
  'a: b\r\n',
  'a: b\n ',
  'a=b; ',
  'a=b&',
  'a, ',
  '<a ',
  '<a>',
  '</a>',
  '<!--',
  '{"a":',
  '[1,',
  '"",',
  '\\u0061',
  '%41',
  '&#97;',
  '- a\n',
  'a:\n ',
  '1\r\na\r\n',
  "$'\\n'",
  '*a* ',
  'a@b.',
  'https://a/',
  'eyJ.',
  'at f (a:1:1)\n',
]

/** Every printable character, tab, CR, NUL, a combining mark, every pair out of 20, and parts of grammars. */
export const longRuns: readonly string[] = [
  ...printable,
  '\t',
  '\r',
  '\0',
  '\u0301',
  ...signs.flatMap((one) => signs.map((other) => `${one}${other}`)),
  ...parts,
]

const cpuMs = (work: () => void): number => {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

const runOf = (part: string, bytes: number): string => part.repeat(Math.ceil(bytes / Buffer.byteLength(part)))

/** @returns the runs that take too long, or grow faster than their length, with their times in ms of CPU */
export const slowRuns = (read: (run: string) => void, parts: readonly string[], cpuMsMax: number): string[] =>
  parts.flatMap((part) => {
    const [short, long] = [runOf(part, shortBytes), runOf(part, longBytes)]
    const isSlow = (shortMs: number, longMs: number): boolean =>
      longMs > cpuMsMax || (longMs > soonMs && longMs > growthMax * shortMs)
    const shortMs = cpuMs(() => read(short))
    // a text whose time explodes is not read at its full length
    if (shortMs > cpuMsMax) return [`${JSON.stringify(part)}: ${Math.round(shortMs)} ms for 64 KiB`]
    if (
      !isSlow(
        shortMs,
        cpuMs(() => read(long)),
      )
    )
      return []
    // the mean of four short texts has a fourth of the error
    const best = (work: () => void): number => Math.min(...[1, 2, 3, 4, 5].map(() => cpuMs(work)))
    const four = best(() => [1, 2, 3, 4].forEach(() => read(short)))
    const [first, second] = [four / 4, best(() => read(long))]
    return isSlow(first, second)
      ? [`${JSON.stringify(part)}: ${Math.round(first)} and ${Math.round(second)} ms`]
      : []
  })
