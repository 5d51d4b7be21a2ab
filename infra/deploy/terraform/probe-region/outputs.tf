output "addresses" {
  description = "Where the agents' requests come from, by their names: to be published, so that others can allow them"
  value = {
    for name in var.agents : name => var.public_addresses ? aws_eip.agent[name].public_ip : aws_instance.agent[name].public_ip
  }
}

output "instances" {
  description = "The machines, by the agents' names"
  value       = { for name, instance in aws_instance.agent : name => instance.id }
}
