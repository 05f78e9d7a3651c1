package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/electd/electd/transport/pki"
)

func tlsCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "tls", Short: "Make certificates for the connections between nodes"}
	c.AddCommand(tlsInitCommand(s))
	group(c)
	return c
}

func tlsInitCommand(s streams) *cobra.Command {
	var dir string
	var o pki.Options
	c := &cobra.Command{
		Use:   "init NODE[=HOST,...] ...",
		Short: "Make a certificate authority and one certificate per node",
		Long: `Make a certificate authority, unless the folder holds one, and one certificate and
key for every node named. A node's certificate carries its id; hosts and addresses
may be added after "=". Give each machine the ca.pem and its own two files, and keep
ca.key off them: it is needed only to add nodes later.`,
		Example: "  electd tls init --dir ./tls db-a db-b\n  electd tls init --dir ./tls db-a=10.0.0.1,db-a.internal db-b=10.0.0.2",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return status{exitUsage, fmt.Errorf("electd: name at least one node")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var nodes []pki.Node
			for _, arg := range args {
				id, hosts, given := strings.Cut(arg, "=")
				n := pki.Node{ID: id}
				if given {
					n.Hosts = strings.Split(hosts, ",")
				}
				nodes = append(nodes, n)
			}
			made, err := pki.Init(dir, nodes, o)
			if err != nil {
				return err
			}
			if !made.CACreated {
				fmt.Fprintln(s.out, "signed by the authority that was there already")
			}
			for _, file := range made.Files {
				fmt.Fprintln(s.out, file)
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "`DIR` for the files")
	c.Flags().DurationVar(&o.Validity, "valid-for", pki.DefaultValidity, "how long the nodes' certificates are good for")
	c.Flags().BoolVar(&o.Overwrite, "overwrite", false, "replace certificates of these nodes that exist already")
	return c
}
