import { checkDetail } from '../../show/check-detail.ts'
import { fitWidth } from '../../show/fit-width.ts'
import { lookOf } from '../../show/look.ts'
import { count, time } from '../../show/measures.ts'
import { redraw } from '../../show/redraw.ts'
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
