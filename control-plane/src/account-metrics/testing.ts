/** A series as a strict reader of Prometheus' text format 0.0.4 finds it. */
export type Series = { name: string; labels: Record<string, string>; value: number }

const seriesPattern = /^([a-zA-Z_:][\w:]*)\{((?:[a-zA-Z_]\w*="(?:\\[\\"n]|[^\\"\n])*"(?:,(?!\}))?)*)\} (\S+)$/
const unescaped: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' }

/** @throws Error for a line that is not of the format, a series twice, or one outside its family */
export const parseMetrics = (text: string): Series[] => {
  const end = '# EOF\n'
  if (!text.endsWith(end)) throw new Error('the text does not end with # EOF')
  let family = ''
  const families = new Set<string>()
  const seen = new Set<string>()
  return text
    .slice(0, -end.length)
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [, kind, named = ''] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? []
      if (kind === 'HELP') {
        if (families.has(named)) throw new Error(`${named} has two parts`)
        families.add(named)
        family = named
        return []
      }
      if (kind === 'TYPE') {
        if (line !== `# TYPE ${family} gauge`) throw new Error(`unexpected: ${line}`)
        return []
      }
      const [, name = '', inner = '', value = ''] = seriesPattern.exec(line) ?? []
      if (name === '' || name !== family) throw new Error(`not a series of ${family}: ${line}`)
      const pairs = [...inner.matchAll(/,?(\w+)="((?:\\.|[^\\"])*)"/gsy)].map(
        ([, label = '', escaped = '']) =>
          [label, escaped.replace(/\\./g, (each) => unescaped[each] ?? each)] as const,
      )
      const labels = Object.fromEntries(pairs)
      const id = `${name}${JSON.stringify(pairs.toSorted())}`
      if (Object.keys(labels).length < pairs.length || seen.has(id)) throw new Error(`twice: ${line}`)
      seen.add(id)
      return [{ name, labels, value: Number(value) }]
    })
}
