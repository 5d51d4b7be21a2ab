import type { Finding } from '../../show/findings.ts'
import { isUtf8Terminal } from '../../show/look.ts'
import type { Output, World } from '../../terminal/world.ts'

const nodeMajorMin = 22
/** What the tables and bars are made for. */
const columnsMin = 80

/** "It needs Node 22" (specification, Command-line tool). */
export const nodeFinding = (version: string): Finding =>
  Number.parseInt(version, 10) >= nodeMajorMin
    ? { level: 'ok', topic: 'node', message: version }
    : {
        level: 'fail',
        topic: 'node',
        message: `${version} is older than ${nodeMajorMin}.`,
        next: `Install Node ${nodeMajorMin} or newer.`,
      }

export const terminalFinding = (
  { isTerminal, hasColours, columns }: Output,
  environment: World['environment'],
): Finding => {
  const topic = 'terminal'
  const isUtf8 = isUtf8Terminal(environment)
  if (!isTerminal) return { level: 'ok', topic, message: 'the output is no terminal: no colours' }
  const message = [
    `${columns} columns`,
    hasColours ? 'colours' : 'no colours',
    isUtf8 ? 'UTF-8' : 'ASCII marks',
  ].join(', ')
  if (columns < columnsMin) {
    return {
      level: 'warn',
      topic,
      message,
      next: `From ${columnsMin} columns on tables are whole.`,
    }
  }
  return isUtf8
    ? { level: 'ok', topic, message }
    : { level: 'ok', topic, message, next: 'Set LANG to a UTF-8 locale for better marks and bars.' }
}
