import type { PublicGroup } from '@probe-mesh/contracts/status-page/public-page'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { worstFirst } from './page-state.ts'

type Grouped = { id: string; state: ComponentState; groupName?: string | null | undefined }

/**
 * The groups of a page, in its order. Components without a group stay together with their neighbours.
 */
export const groupsOf = (components: readonly Grouped[]): PublicGroup[] => {
  const groups: { name: string | null; members: Grouped[] }[] = []
  for (const component of components) {
    const name = component.groupName ?? null
    const last = groups.at(-1)
    if (last !== undefined && last.name === name) last.members.push(component)
    else groups.push({ name, members: [component] })
  }
  return groups.map(({ name, members }) => ({
    name,
    state: worstFirst.find((state) => members.some((member) => member.state === state)) ?? 'no_data',
    componentIds: members.map(({ id }) => id),
  }))
}
