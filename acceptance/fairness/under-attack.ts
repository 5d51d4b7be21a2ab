import type { Attack } from './attack.ts'
import type { Person } from './person.ts'
import type { Stage } from './stage.ts'

/** Runs the attack until `observe` returns. @throws errors of the attack or of `observe` */
export const underAttack = async <Seen>(
  stage: Stage,
  attack: Attack,
  people: readonly Person[],
  observe: (stage: Stage) => Promise<Seen>,
): Promise<Seen> => {
  const ending = new AbortController()
  const begun = Promise.withResolvers<void>()
  const attacking = attack
    .run({ stage, people, signal: ending.signal, begun: begun.resolve })
    .finally(begun.resolve)
  attacking.catch(() => undefined)
  try {
    await begun.promise
    return await observe(stage)
  } finally {
    ending.abort()
    await attacking
  }
}
