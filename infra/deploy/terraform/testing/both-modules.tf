# Both modules as in real use, for their tests. No address is real.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "credentials" {
  type      = any
  sensitive = true
  ephemeral = true
}

module "control_plane" {
  source              = "./control-plane"
  regions             = ["fra", "iad"]
  public_host         = "status.example.com"
  mcp_host            = "mcp.example.com"
  certificate_arn     = "arn:aws:acm:eu-central-1:123456789012:certificate/one"
  nats_urls           = ["tls://nats-1.example.com:4222", "tls://nats-2.example.com:4222"]
  vpc_id              = "vpc-1"
  public_subnet_ids   = ["subnet-1", "subnet-2"]
  private_subnet_ids  = ["subnet-3", "subnet-4"]
  load_balancer_cidrs = ["10.0.0.0/24", "10.0.1.0/24"]
  ip_address_type     = "dualstack"

  metrics_security_group_ids = ["sg-1"]
  machine_image              = "ami-1"
  control_plane_image        = "probe-mesh/control-plane@sha256:0000000000000000000000000000000000000000000000000000000000000000"
  gateway_image              = "probe-mesh/mcp-gateway@sha256:0000000000000000000000000000000000000000000000000000000000000000"
  secret_arns = {
    for name in ["database_url", "clickhouse_url", "secrets_key", "gateway_key", "control_plane_creds", "server_pem", "server_key", "ca_pem", "metrics_token"] :
    name => "arn:aws:secretsmanager:eu-central-1:123456789012:secret:${name}"
  }
}

module "fra" {
  source        = "./probe-region"
  region        = "fra"
  agents        = ["fra-1", "fra-2"]
  credentials   = var.credentials
  vpc_id        = "vpc-1"
  subnet_ids    = ["subnet-1", "subnet-2"]
  machine_image = "ami-1"
  agent_image   = "probe-mesh/agent@sha256:0000000000000000000000000000000000000000000000000000000000000000"
  nats_image    = "nats@sha256:0000000000000000000000000000000000000000000000000000000000000000"
}

output "addresses" {
  value = module.fra.addresses
}
