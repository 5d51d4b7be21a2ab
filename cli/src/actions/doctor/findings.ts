import type { Failure } from '../../api/failure.ts'
import { widthOf } from '../../file/text-width.ts'
import { count } from '../../plan/show-value.ts'
import type { Display } from '../../show/display.ts'
import { wrapWords } from '../../show/fit-width.ts'
import type { Style } from '../../show/table.ts'
import { paint } from '../../terminal/paint.ts'

/** One examined item. `next` is the fix, if there is one. */
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

/** One line for each finding with its fix below, then the number of findings of each level. */
export const findingLines = (display: Display, findings: readonly Finding[]): string[] => {
  const topicWidth = Math.max(...findings.map(({ topic }) => widthOf(topic)))
  const lines = findings.flatMap(({ level, topic, message, next }) => {
    const head = `${level.padEnd(4)}  ${topic.padEnd(topicWidth)}  `
    const rest = ' '.repeat(head.length)
    const [first = '', ...more] = wrapWords(display, message, head)
    return [
      paint(display, styles[level], first.slice(0, level.length)) + first.slice(level.length),
      ...more,
      ...(next === undefined ? [] : wrapWords(display, next, `${rest}-> `, `${rest}   `)),
    ]
  })
  const of = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  return [...lines, '', `${of('ok')} ok, ${count(of('warn'), 'warning')}, ${count(of('fail'), 'failure')}.`]
}

/** Failed requests as findings. */
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
