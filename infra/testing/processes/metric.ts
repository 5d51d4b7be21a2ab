/** Reads one metric of a part: the sum over the lines with these labels. */
export const readMetric = async (
  root: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  token: string | null = null,
): Promise<number> => sumMetric(await readMetrics(root, token), name, labels)

/** Reads `/metrics` of a part. @param token null: this machine needs none */
export const readMetrics = async (root: string, token: string | null = null): Promise<string> => {
  const response = await fetch(`${root}/metrics`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerMsMax),
  })
  if (!response.ok) throw new Error(`${root}/metrics answered ${response.status}`)
  return response.text()
}

const answerMsMax = 5_000

/** @param text in Prometheus' text format */
export const sumMetric = (text: string, name: string, labels: Readonly<Record<string, string>>): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) =>
      Object.entries(labels).every(
        ([label, value]) => line.includes(`{${label}="${value}"`) || line.includes(`,${label}="${value}"`),
      ),
    )
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
