/** Tests that show that a promise is kept. */
export type Proof = {
  /** Relative to the project root. */
  file: string
  /** Part of the test titles; absent: all tests of the file. */
  test?: string
}

/** One fault, and what must happen (the fault list of the design, A.4). */
export type FaultRow = {
  /** `F-01` to `F-33`. */
  id: string
  fault: string
  promise: string
  /** At least one. */
  proofs: readonly Proof[]
  /** The part that this machine cannot prove, and why; null if complete. */
  notShown: string | null
}
