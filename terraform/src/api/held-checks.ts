type Target = { name: string; url: string }
/** `id` is null: the check is gone, and Terraform creates it again. */
type Held = { id: string | null; regions: readonly string[] }

/** The checks that Terraform is known to manage: it plans the new check of a replace without the old one. */
export type HeldChecks = {
  add(id: string): void
  addTarget(target: Target, held: Held): void
  has(id: string): boolean
  /** The check that one with this name and URL replaces, as far as that is known. */
  ofTarget(target: Target): Held | null
}

export const createHeldChecks = (): HeldChecks => {
  const ids = new Set<string>()
  const targets = new Map<string, Held>()
  const keyOf = ({ name, url }: Target): string => JSON.stringify([name, url])
  return {
    add: (id) => void ids.add(id),
    addTarget: (target, held) => void targets.set(keyOf(target), held),
    has: (id) => ids.has(id),
    ofTarget: (target) => targets.get(keyOf(target)) ?? null,
  }
}
