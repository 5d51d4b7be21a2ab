/** What is planned: ours, or what Terraform has in itself and needs no process for. */
export const kinds = ['check', 'data'] as const
export type Kind = (typeof kinds)[number]

/** As many resources of a kind, each saying the same of itself. */
export const configurationOf = (kind: Kind, count: number): string =>
  kind === 'check' ? checks(count) : data(count)

const checks = (count: number): string => `terraform {
  required_providers {
    service = { source = "probe-mesh/service" }
  }
}
provider "service" {}
resource "service_check" "all" {
  count            = ${count}
  name             = "check \${count.index}"
  url              = "https://service-\${count.index}.example.com/health"
  interval_seconds = 60
}
`

const data = (count: number): string => `resource "terraform_data" "all" {
  count = ${count}
  input = {
    name             = "check \${count.index}"
    url              = "https://service-\${count.index}.example.com/health"
    interval_seconds = 60
  }
}
`
