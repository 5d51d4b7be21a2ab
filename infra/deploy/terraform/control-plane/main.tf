# Control planes and gateways behind one load balancer, on existing databases. A machine stores nothing: it
# may be replaced at any time, and the others take over its part within seconds.

locals {
  secrets = { for name, arn in var.secret_arns : name => arn if arn != null }
  doors = {
    api = { host = var.public_host, port = 8080 }
    mcp = { host = var.mcp_host, port = 8081 }
  }
}

data "aws_region" "here" {}

resource "aws_security_group" "balancer" {
  name        = "${var.name}-balancer"
  description = "Public, over TLS"
  vpc_id      = var.vpc_id
  tags        = var.tags
}

resource "aws_vpc_security_group_ingress_rule" "everybody" {
  for_each          = { v4 = "0.0.0.0/0", v6 = "::/0" }
  security_group_id = aws_security_group.balancer.id
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
  cidr_ipv4         = each.key == "v4" ? each.value : null
  cidr_ipv6         = each.key == "v6" ? each.value : null
}

resource "aws_vpc_security_group_ingress_rule" "everybody_without_tls" {
  for_each          = { v4 = "0.0.0.0/0", v6 = "::/0" }
  security_group_id = aws_security_group.balancer.id
  description       = "Redirected to 443"
  ip_protocol       = "tcp"
  from_port         = 80
  to_port           = 80
  cidr_ipv4         = each.key == "v4" ? each.value : null
  cidr_ipv6         = each.key == "v6" ? each.value : null
}

resource "aws_vpc_security_group_egress_rule" "to_machines" {
  for_each                     = local.doors
  security_group_id            = aws_security_group.balancer.id
  referenced_security_group_id = aws_security_group.machine.id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_security_group" "machine" {
  name        = "${var.name}-machine"
  description = "Control planes and gateways, reachable only from the load balancer"
  vpc_id      = var.vpc_id
  tags        = var.tags
}

resource "aws_vpc_security_group_ingress_rule" "from_balancer" {
  for_each                     = local.doors
  security_group_id            = aws_security_group.machine.id
  referenced_security_group_id = aws_security_group.balancer.id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

# Prometheus reads /metrics from the machines themselves; the load balancer does not route it.
resource "aws_vpc_security_group_ingress_rule" "metrics" {
  for_each = { for pair in setproduct(var.metrics_security_group_ids, keys(local.doors)) :
  "${pair[0]}-${pair[1]}" => { group = pair[0], port = local.doors[pair[1]].port } }
  security_group_id            = aws_security_group.machine.id
  referenced_security_group_id = each.value.group
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_egress_rule" "out" {
  for_each          = { v4 = "0.0.0.0/0", v6 = "::/0" }
  security_group_id = aws_security_group.machine.id
  description       = "Databases, mail, webhooks"
  ip_protocol       = "-1"
  cidr_ipv4         = each.key == "v4" ? each.value : null
  cidr_ipv6         = each.key == "v6" ? each.value : null
}

resource "aws_iam_role" "machine" {
  name = "${var.name}-machine"
  tags = var.tags
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy" "machine" {
  name = "the-secrets"
  role = aws_iam_role.machine.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "secretsmanager:GetSecretValue"
      Resource = values(local.secrets)
    }]
  })
}

resource "aws_iam_instance_profile" "machine" {
  name = "${var.name}-machine"
  role = aws_iam_role.machine.name
  tags = var.tags
}

resource "aws_launch_template" "machine" {
  name_prefix            = "${var.name}-"
  image_id               = var.machine_image
  instance_type          = var.instance_type
  vpc_security_group_ids = [aws_security_group.machine.id]
  update_default_version = true
  tags                   = var.tags

  iam_instance_profile {
    name = aws_iam_instance_profile.machine.name
  }

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      encrypted   = true
      volume_type = "gp3"
    }
  }

  user_data = base64encode(templatefile("${path.module}/start.sh.tftpl", {
    aws_region          = data.aws_region.here.name
    secrets             = local.secrets
    regions             = join(",", var.regions)
    public_url          = "https://${var.public_host}"
    mcp_url             = "https://${var.mcp_host}"
    nats_urls           = join(",", var.nats_urls)
    nats_replicas       = var.nats_replicas
    trust_proxy         = join(",", var.load_balancer_cidrs)
    control_plane_image = var.control_plane_image
    gateway_image       = var.gateway_image
  }))
}

resource "aws_autoscaling_group" "machine" {
  name                      = var.name
  min_size                  = var.machines
  max_size                  = var.machines + 1
  desired_capacity          = var.machines
  vpc_zone_identifier       = var.private_subnet_ids
  target_group_arns         = [for group in aws_lb_target_group.door : group.arn]
  health_check_type         = "ELB"
  health_check_grace_period = 180

  launch_template {
    id      = aws_launch_template.machine.id
    version = aws_launch_template.machine.latest_version
  }

  # a new version replaces one machine after another while the others serve
  instance_refresh {
    strategy = "Rolling"
    preferences {
      min_healthy_percentage = 100
      max_healthy_percentage = 150
    }
  }

  tag {
    key                 = "Name"
    value               = var.name
    propagate_at_launch = true
  }
}

resource "aws_lb" "balancer" {
  name                       = var.name
  load_balancer_type         = "application"
  ip_address_type            = var.ip_address_type
  security_groups            = [aws_security_group.balancer.id]
  subnets                    = var.public_subnet_ids
  drop_invalid_header_fields = true
  # a stream of events sends data every 15 s; a manual measurement takes up to 50 s
  idle_timeout = 70
  tags         = var.tags
}

resource "aws_lb_target_group" "door" {
  for_each             = local.doors
  name                 = "${var.name}-${each.key}"
  vpc_id               = var.vpc_id
  protocol             = "HTTPS"
  port                 = each.value.port
  deregistration_delay = 30
  tags                 = var.tags

  health_check {
    protocol            = "HTTPS"
    path                = "/readyz"
    interval            = 5
    timeout             = 4
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "outside" {
  load_balancer_arn = aws_lb.balancer.arn
  protocol          = "HTTPS"
  port              = 443
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  certificate_arn   = var.certificate_arn

  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      status_code  = "421"
      message_body = "There is nothing under this name."
    }
  }
}

resource "aws_lb_listener" "without_tls" {
  load_balancer_arn = aws_lb.balancer.arn
  protocol          = "HTTP"
  port              = 80

  default_action {
    type = "redirect"
    redirect {
      protocol    = "HTTPS"
      port        = "443"
      status_code = "HTTP_301"
    }
  }
}

resource "aws_lb_listener_rule" "no_metrics" {
  listener_arn = aws_lb_listener.outside.arn
  priority     = 1

  condition {
    path_pattern {
      values = ["/metrics", "/metrics/*"]
    }
  }

  action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      status_code  = "404"
      message_body = "There is nothing at this path."
    }
  }
}

resource "aws_lb_listener_rule" "door" {
  for_each     = local.doors
  listener_arn = aws_lb_listener.outside.arn
  priority     = each.value.port

  condition {
    host_header {
      values = [each.value.host]
    }
  }

  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.door[each.key].arn
  }
}
