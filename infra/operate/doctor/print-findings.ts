import type { Finding } from './findings/finding.ts'

const order = { broken: 0, warning: 1, ok: 2 } as const

/** A line for each finding, below it what to do, the worst first; at last how many there are of each. Pure. */
export const printFindings = (findings: readonly Finding[]): string => {
  const sorted = findings.toSorted((a, b) => order[a.level] - order[b.level])
  const topicWidth = Math.max(0, ...findings.map(({ topic }) => topic.length))
  const levelWidth = 'warning'.length
  const lines = sorted.flatMap(({ level, topic, message, next }) => [
    `${level.padEnd(levelWidth)}  ${topic.padEnd(topicWidth)}  ${message}`,
    ...(next === undefined ? [] : [`${' '.repeat(levelWidth + topicWidth + 4)}-> ${next}`]),
  ])
  const of = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  return `${[...lines, '', `${of('broken')} broken, ${of('warning')} warnings, ${of('ok')} ok.`].join('\n')}\n`
}
