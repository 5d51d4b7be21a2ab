/** Tests that show that a promise is kept. */
export type Proof = {
  /** From the root of the project. */
  file: string
  /** Part of the names of the tests that are meant; absent: all of the file. */
  test?: string
}

/** One fault, and what must happen (the fault list of the design, A.4). */
export type FaultRow = {
  /** `F-01` to `F-32`. */
  id: string
  fault: string
  promise: string
  /** At least one. */
  proofs: readonly Proof[]
  /** What of it this machine cannot show, and why; null where nothing is missing. */
  notShown: string | null
}
