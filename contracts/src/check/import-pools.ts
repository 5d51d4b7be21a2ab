import { inFigures } from '../schema/in-figures.ts'
import { inSeconds as seconds, poolFigures, type SlowPool } from '../schema/shared-pool.ts'

const bounds = (waiting: number) => ({ places: 1, placesOfOwner: 1, waiting, waitingOfOwner: 2 })

const importPool = (what: string, waiting: number, workMsMax: number, waitMsMax: number): SlowPool => ({
  what: `${what}, in a thread of their own`,
  bound: `one in progress, for ${seconds(workMsMax)} of CPU time at most; ${waiting} waiting for at most ${seconds(waitMsMax)}`,
  share: 'one in progress, 2 waiting',
  floor: `with n waiting accounts, each has its turn within n imports, while fewer than ${waiting} wait`,
  refused: 'SV-9002 with Retry-After',
  figures: poolFigures(),
  bounds: bounds(waiting),
  workMsMax,
  waitMsMax,
})

/** A longer text waits in a line of its own, so that a command of one line never waits for a document. */
export const shortImportCharactersMax = 65_536

/** What accounts share when they import checks. A wait is longer than the imports before it on a quiet machine. */
export const importPools = {
  imports: importPool(
    `curl commands, OpenAPI documents and HAR files of up to ${inFigures(shortImportCharactersMax)} characters that are read`,
    20,
    1_000,
    20_000,
  ),
  longImports: importPool('longer documents that are read', 9, 5_000, 45_000),
} as const satisfies Record<string, SlowPool>
