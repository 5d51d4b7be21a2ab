/** Apart from the schemas of regions, for programs that must start without loading a schema. */
const privatePrefix = 'private-'
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** A regular expression. */
export const privateRegionForm = `${privatePrefix}${uuid}`
// linear: its length is fixed
const wholeForm = new RegExp(`^${privatePrefix}(?<agent>${uuid})$`)

/** The region of a private agent. */
export const privateRegion = (agentId: string): string => `${privatePrefix}${agentId}`

/** The private agent of a region; null for a region of the mesh. */
export const privateAgentOf = (region: string): string | null =>
  wholeForm.exec(region)?.groups?.['agent'] ?? null

export const isPrivateRegion = (region: string): boolean => privateAgentOf(region) !== null
