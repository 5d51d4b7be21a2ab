/** How one row of the table of shared pools is tested. */
export type FairnessCase = {
  /** Numbers of accounts at their maximum with which the floor holds; default `crowdsDefault`. */
  crowds?: readonly number[]
  /** Fills the pool with accounts at their maximum, then checks that another account gets its floor. */
  floor(crowd: number): Promise<void> | void
  /**
   * Accounts at their maximum, each with the slowest work that is permitted, all the time; then another account
   * starts within the wait that the row prints.
   */
  slowest?: ((crowd: number) => Promise<void>) | undefined
  /** One account alone gets its share; more is refused like the row says. */
  share(): Promise<void> | void
}

export const crowdsDefault: readonly number[] = [2, 50, 1_000]

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
