import { styleText } from 'node:util'
import { count } from './show-value.ts'

type Style = Parameters<typeof styleText>[0]

/** By the prefix of a line, as `format-plan.ts` writes them. What loses a history stands out. */
const styles: Readonly<Record<string, Style>> = {
  '+': 'green',
  '~': 'yellow',
  '!': ['bold', 'red'],
  '-': 'red',
  '=': 'dim',
  '?': 'dim',
}
const unchangedShownMax = 10

/** The lines of a plan as they are printed: in colours if there are any, and many unchanged checks as their number. */
export const printedPlan = (text: string, { hasColours }: { hasColours: boolean }): string => {
  const lines = text.split('\n')
  const unchanged = lines.filter(isUnchanged).length
  const first = lines.findIndex(isUnchanged)
  const shown =
    unchanged <= unchangedShownMax
      ? lines
      : lines.flatMap((line, n) =>
          isUnchanged(line) ? (n === first ? [`= ${count(unchanged, 'check')} unchanged`] : []) : [line],
        )
  return hasColours ? shown.map(painted).join('\n') : shown.join('\n')
}

/** Details are indented, so only the line of a check begins with a prefix. */
const isUnchanged = (line: string): boolean => line.startsWith('= ')

const painted = (line: string): string => {
  const style = line[1] === ' ' ? styles[line[0] ?? ''] : undefined
  if (style !== undefined) return styleText(style, line, { validateStream: false })
  const isLoss = line.startsWith('    ') && line.includes(' lost')
  return isLoss ? styleText('red', line, { validateStream: false }) : line
}
