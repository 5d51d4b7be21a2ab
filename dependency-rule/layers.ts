const room = 'error-tracking'
/** Workspaces whose files belong to the programs that load them: a feature is one folder, with a layer for each. */
export const layered: readonly string[] = ['check-types', room]

type Layer = { package: string; room: string }

/** The layers of a check type by file or folder; every other file is a part of its settings. */
const ofCheckTypes: Readonly<Record<string, Layer>> = {
  // below the schema of readings, which has the details of every type
  reading: { package: 'contracts', room: 'check-readings' },
  'check-reading.ts': { package: 'contracts', room: 'check-readings' },
  probe: { package: 'probe-agent', room: 'check-types' },
  page: { package: 'web', room: 'check-types' },
}

const ofErrorTracking: Readonly<Record<string, Layer>> = {
  contracts: { package: 'contracts', room },
  pages: { package: 'web', room },
}

/** All that others load of the part of the control plane. */
const door = `${room}/feature.ts`

/** Whether a file of another workspace passes the door of error tracking by. */
export const passesDoorBy = (importer: string, imported: string): boolean =>
  imported !== door && layerOf(imported)?.package === 'control-plane' && !importer.startsWith(`${room}/`)

/**
 * The program and the room that a file of a layered workspace belongs to: an agent loads no form, and a browser no
 * probe.
 * @returns null for files outside of these workspaces
 */
export const layerOf = (path: string): Layer | null => {
  const [workspace, first = '', second] = path.split('/')
  if (workspace === 'check-types') {
    return ofCheckTypes[second ?? first] ?? { package: 'contracts', room: 'check-types' }
  }
  return workspace === room ? (ofErrorTracking[first] ?? { package: 'control-plane', room }) : null
}
