variable "name" {
  type    = string
  default = "probe-mesh"
}

variable "machines" {
  description = "The number of machines, each with a control plane and a gateway. With two or more, one may fail"
  type        = number
  default     = 2
  validation {
    condition     = var.machines >= 1 && var.machines <= 64
    error_message = "Set 1 to 64 machines."
  }
}

variable "regions" {
  description = "The live regions of the mesh"
  type        = list(string)
  validation {
    condition     = length(var.regions) > 0 && alltrue([for region in var.regions : can(regex("^[a-z]{3}$", region))])
    error_message = "Set at least one region, each of three lower-case letters."
  }
}

variable "public_host" {
  description = "The host name of the REST API and the pages"
  type        = string
}

variable "mcp_host" {
  description = "The host name of the MCP gateway"
  type        = string
}

variable "certificate_arn" {
  description = "A certificate for both hosts"
  type        = string
}

variable "nats_urls" {
  type = list(string)
  validation {
    condition     = length(var.nats_urls) > 0 && alltrue([for url in var.nats_urls : startswith(url, "tls://")])
    error_message = "Connections to NATS need TLS: tls://host:port."
  }
}

variable "nats_replicas" {
  type    = number
  default = 3
  validation {
    condition     = contains([1, 3, 5], var.nats_replicas)
    error_message = "Set 1, 3 or 5 replicas."
  }
}

variable "secret_arns" {
  description = "Existing secrets, one text each. The module creates none, so that the state contains none"
  type = object({
    database_url        = string
    clickhouse_url      = string
    secrets_key         = string
    gateway_key         = string
    control_plane_creds = string
    server_pem          = string
    server_key          = string
    ca_pem              = string
    # METRICS_TOKEN of control planes and gateways; none: Prometheus cannot read them
    metrics_token = optional(string)
  })
}

variable "vpc_id" {
  type = string
}

variable "public_subnet_ids" {
  description = "The subnets of the load balancer, in at least two zones"
  type        = list(string)
  validation {
    condition     = length(var.public_subnet_ids) >= 2
    error_message = "A load balancer needs subnets in two zones."
  }
}

variable "private_subnet_ids" {
  description = "The subnets of the machines, with a NAT for mail and webhooks"
  type        = list(string)
  validation {
    condition     = length(var.private_subnet_ids) > 0
    error_message = "Set at least one subnet."
  }
}

variable "load_balancer_cidrs" {
  description = "The CIDRs of the public subnets, whose X-Forwarded-For counts"
  type        = list(string)
}

variable "ip_address_type" {
  description = "ipv4, or dualstack if the public subnets have IPv6"
  type        = string
  default     = "ipv4"
  validation {
    condition     = contains(["ipv4", "dualstack"], var.ip_address_type)
    error_message = "Set ipv4 or dualstack."
  }
}

variable "metrics_security_group_ids" {
  description = "The security groups of Prometheus, which may reach the machines to read /metrics with metrics_token"
  type        = list(string)
  default     = []
  validation {
    condition     = length(var.metrics_security_group_ids) == 0 || var.secret_arns.metrics_token != null
    error_message = "Without secret_arns.metrics_token the programs refuse other machines."
  }
}

variable "machine_image" {
  description = "An image with Docker and the AWS command line"
  type        = string
}

variable "control_plane_image" {
  type = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.control_plane_image))
    error_message = "Pin the image by its digest: name:tag@sha256:..."
  }
}

variable "gateway_image" {
  type = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.gateway_image))
    error_message = "Pin the image by its digest: name:tag@sha256:..."
  }
}

variable "instance_type" {
  type    = string
  default = "t3.medium"
}

variable "tags" {
  type    = map(string)
  default = {}
}
