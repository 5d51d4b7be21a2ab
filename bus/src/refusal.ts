/** Why the mesh does not let a process in. */
export type Refusal = {
  /**
   * `revoked`, `expired`: it was let in, was told so, and is not let in again. `misfit`: what it was given does not
   * fit together. `refused`: no reason is given, so that it may be the server's fault. `suspended`: of an account.
   * `held`: another installation of it runs.
   */
  how: 'revoked' | 'expired' | 'misfit' | 'refused' | 'suspended' | 'held'
  /** In a sentence without a full stop, which says what to do. */
  text: string
}

/** Who wants to know whether the mesh lets it in. */
export type Admission = {
  /** Called for each try. */
  onRefused(refusal: Refusal): void
  onLetIn(): void
  /** Nothing can be known: nobody answers. */
  onAway?(): void
}

/** What a process was given does not fit together: trying again cannot help. */
export class Misfit extends Error {
  override readonly name = 'Misfit'
}
