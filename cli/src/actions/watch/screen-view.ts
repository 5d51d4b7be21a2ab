import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../file/text-width.ts'
import { count } from '../../plan/show-value.ts'
import { checkDetail } from '../../show/check-detail.ts'
import { displayOf } from '../../show/display.ts'
import { fitWidth } from '../../show/fit-width.ts'
import { time } from '../../show/measures.ts'
import { statusTable } from '../../show/status-table.ts'
import type { Context } from '../../terminal/context.ts'
import type { LiveView } from './live-view.ts'
import type { Watched } from './watched.ts'

/** The screen is redrawn at most four times a second. */
const paceMs = 250

/** On a terminal: redraws the state in place when it changes. @param rows height of the terminal */
export const screenView = (context: Context, rows: () => number): LiveView => {
  const { out } = context
  let drawn: string[] = []
  let latest: Watched | null = null
  let isDue = false

  const draw = (watched: Watched): void => {
    const lines = linesOf(context, watched, rows())
    out.write(redraw(drawn, lines, out.columns))
    drawn = lines
  }
  const drawSoon = (watched: Watched): void => {
    latest = watched
    if (isDue) return
    isDue = true
    const wait = context.pause(paceMs).then(() => {
      isDue = false
      if (latest !== null) draw(latest)
    })
    // the pause rejects when the command ends, which draws once more
    wait.catch(() => {})
  }
  return {
    begin: draw,
    flipped: drawSoon,
    reread: drawSoon,
    measured: drawSoon,
    linked: drawSoon,
    end: (watched) => {
      latest = null
      draw(watched)
    },
  }
}

const linesOf = (context: Context, watched: Watched, rows: number): string[] => {
  const display = displayOf(context.out, context.environment)
  const { checks, details, newest } = watched
  const body =
    details === null
      ? statusTable(display, checks, { nowMs: context.now(), newest })
      : details.flatMap((check, n) => [
          ...(n === 0 ? [] : ['']),
          ...checkDetail(display, check, context.now()),
        ])
  // the cursor needs its own line
  const room = Math.max(3, rows - 3)
  const hidden = body.length - room
  const shown = hidden > 0 ? [...body.slice(0, room - 1), `${count(hidden + 1, 'line')} more`] : body
  return [...shown, '', fitWidth(display, footer(watched), display.columns)]
}

const footer = ({ link, updatedAtMs }: Watched): string => {
  const heard = time(new Date(updatedAtMs).toISOString()).slice(11)
  switch (link) {
    case 'connected':
      return `Live, last update ${heard}; Ctrl-C stops`
    case 'connecting':
      return `As of ${heard}; connecting; Ctrl-C stops`
    case 'reconnecting':
      return `As of ${heard}; event stream lost, reconnecting`
    default:
      return link satisfies never
  }
}

const eraseBelow = '\u001B[J'

/**
 * Replaces the lines drawn last, starting at the cursor below them: move up, erase, write. Counts
 * the lines that a narrower terminal has wrapped.
 */
export const redraw = (drawn: readonly string[], lines: readonly string[], columns: number): string => {
  const rows = drawn.reduce((sum, line) => {
    const width = widthOf(stripVTControlCharacters(line))
    return sum + Math.max(1, Math.ceil(width / columns))
  }, 0)
  const up = rows === 0 ? '' : `\r\u001B[${rows}A${eraseBelow}`
  return `${up}${lines.map((line) => `${line}\n`).join('')}`
}
