/** Why the mesh refuses a process. */
export type Refusal = {
  /**
   * `revoked`, `expired`: credentials that were valid before. `misfit`: inconsistent configuration.
   * `refused`: no reason given, perhaps an error of the server. `suspended`: the account is suspended.
   * `held`: another installation runs with the same credentials.
   */
  how: 'revoked' | 'expired' | 'misfit' | 'refused' | 'suspended' | 'held'
  /** A sentence without a full stop that says what to do. */
  text: string
}

/** Notified whether the mesh admits the process. */
export type Admission = {
  /** Called for each attempt. */
  onRefused(refusal: Refusal): void
  onLetIn(): void
  /** Unknown: no server answers. */
  onAway?(): void
}

/** The configuration of a process is inconsistent: a retry cannot help. */
export class Misfit extends Error {
  override readonly name = 'Misfit'
}
