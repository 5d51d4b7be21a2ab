import type { Failure } from '../../api/failure.ts'
import { widthOf } from '../../file/display.ts'
import { wrapWords } from '../../show/fit-width.ts'
import type { Look } from '../../show/look.ts'
import { count } from '../../show/measures.ts'
import type { Style } from '../../show/table.ts'
import { paint } from '../../terminal/paint.ts'

/** One thing that was looked at. `next` is what to do, where there is something. */
export type Finding = {
  level: 'ok' | 'warn' | 'fail'
  topic: string
  message: string
  next?: string
}

const styles: Readonly<Record<Finding['level'], Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
}

/** A line for each finding, below it what to do; at last how many there are of each level. */
export const findingLines = (look: Look, findings: readonly Finding[]): string[] => {
  const topicWidth = Math.max(...findings.map(({ topic }) => widthOf(topic)))
  const lines = findings.flatMap(({ level, topic, message, next }) => {
    const head = `${level.padEnd(4)}  ${topic.padEnd(topicWidth)}  `
    const rest = ' '.repeat(head.length)
    const [first = '', ...more] = wrapWords(look, message, head)
    return [
      paint(look, styles[level], first.slice(0, level.length)) + first.slice(level.length),
      ...more,
      ...(next === undefined ? [] : wrapWords(look, next, `${rest}-> `, `${rest}   `)),
    ]
  })
  const of = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  return [
    ...lines,
    '',
    `${of('ok')} ok, ${count(of('warn'), 'warning')}, ${count(of('fail'), 'failure')}.`,
  ]
}

/** Failures of what a command needs, each as the finding that it is here. */
export const failuresToFindings = (topic: string, failures: readonly Failure[]): Finding[] =>
  failures.map((failure) => {
    const { message } = failure
    if ('code' in failure) return { level: 'fail', topic, message: `${failure.code}: ${message}` }
    return {
      level: 'fail',
      topic,
      message,
      ...(failure.hint === undefined ? {} : { next: failure.hint }),
    }
  })
