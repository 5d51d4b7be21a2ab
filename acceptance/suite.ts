/** Tests that `npm test` leaves out or shortens, and `npm run acceptance` runs in full. */
export type Suite = {
  /** Selects the suite: `npm run acceptance -- <name>`, `npm test -- <name>`. */
  name: string
  /** The files that `npm test` leaves out; none: it shortens those of the folder `name`. */
  files: readonly string[]
  /** The guarantee, and why `npm test` leaves it out. */
  about: string
  /** Variables of a run in full, which takes too long for each change. */
  inFull?: Readonly<Record<string, string>>
  /** The program that runs the suite instead of Vitest, with the flags of the command. */
  program?: string
}
