import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../file/display.ts'
import { checkDetail } from '../../show/check-detail.ts'
import { fitWidth } from '../../show/fit-width.ts'
import { lookOf } from '../../show/look.ts'
import { count, time } from '../../show/measures.ts'
import { statusTable } from '../../show/status-table.ts'
import type { World } from '../../terminal/world.ts'
import type { LiveView } from './live-view.ts'
import type { Watched } from './watched.ts'

/** However much happens, the screen is drawn four times a second at most. */
const paceMs = 250

/** On a terminal: what is known, drawn in its place whenever that changes. @param rows of the terminal */
export const screenView = (world: World, rows: () => number): LiveView => {
  const { out } = world
  let drawn: string[] = []
  let latest: Watched | null = null
  let isDue = false

  const draw = (watched: Watched): void => {
    const lines = linesOf(world, watched, rows())
    out.write(redraw(drawn, lines, out.columns))
    drawn = lines
  }
  const drawSoon = (watched: Watched): void => {
    latest = watched
    if (isDue) return
    isDue = true
    const wait = world.pause(paceMs).then(() => {
      isDue = false
      if (latest !== null) draw(latest)
    })
    // the pause ends with the command, which draws once more
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

const linesOf = (world: World, watched: Watched, rows: number): string[] => {
  const look = lookOf(world.out, world.environment)
  const { checks, details, newest } = watched
  const body =
    details === null
      ? statusTable(look, checks, newest)
      : details.flatMap((check, n) => [
          ...(n === 0 ? [] : ['']),
          ...checkDetail(look, check, world.now()),
        ])
  // the cursor stands on a line of its own
  const room = Math.max(3, rows - 3)
  const hidden = body.length - room
  const shown =
    hidden > 0 ? [...body.slice(0, room - 1), `${count(hidden + 1, 'line')} more`] : body
  return [...shown, '', fitWidth(look, footer(watched), look.columns)]
}

const footer = ({ link, heardAtMs }: Watched): string => {
  const heard = time(new Date(heardAtMs).toISOString()).slice(11)
  switch (link) {
    case 'connected':
      return `Live, last heard ${heard}; Ctrl-C ends`
    case 'connecting':
      return `As of ${heard}; connecting; Ctrl-C ends`
    case 'reconnecting':
      return `As of ${heard}; the stream broke off, connecting anew`
    default:
      return link satisfies never
  }
}

const eraseBelow = '\u001B[J'

/**
 * What puts lines in the place of those that were drawn last, from the cursor below them: up, erase,
 * write. A terminal that was made narrower since has broken old lines, which is counted in.
 */
export const redraw = (
  drawn: readonly string[],
  lines: readonly string[],
  columns: number,
): string => {
  const rows = drawn.reduce((sum, line) => {
    const width = widthOf(stripVTControlCharacters(line))
    return sum + Math.max(1, Math.ceil(width / columns))
  }, 0)
  const up = rows === 0 ? '' : `\r\u001B[${rows}A${eraseBelow}`
  return `${up}${lines.map((line) => `${line}\n`).join('')}`
}
