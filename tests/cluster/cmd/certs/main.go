// Command certs writes what a control plane on loopback needs into a folder: an authority, certificates signed by it,
// and the key that service account tokens are signed with. They are good for a day.
//
// A server's certificate is asked for as name, a client's as name=common name/organisation.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const lifetime = 24 * time.Hour

// authority signs the certificates of one folder.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         crypto.Signer
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: certs FOLDER [SERVER | CLIENT=COMMON-NAME[/ORGANISATION]]"))
	}
	ca, err := newAuthority(os.Args[1])
	if err != nil {
		fail(err)
	}
	for _, wanted := range os.Args[2:] {
		if err := ca.issue(wanted); err != nil {
			fail(fmt.Errorf("%s: %w", wanted, err))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "certs:", err)
	os.Exit(1)
}

// newAuthority writes ca.crt, and service-accounts.key with its public half.
func newAuthority(folder string) (*authority, error) {
	tokens, err := writeKey(filepath.Join(folder, "service-accounts.key"))
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(tokens.Public())
	if err != nil {
		return nil, err
	}
	if err := writePEM(filepath.Join(folder, "service-accounts.pub"), "PUBLIC KEY", public); err != nil {
		return nil, err
	}
	ca := &authority{folder: folder}
	template := blank(pkix.Name{CommonName: "test-authority"})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := ca.sign("ca", template)
	if err != nil {
		return nil, err
	}
	ca.certificate, err = x509.ParseCertificate(der)
	return ca, err
}

func (ca *authority) issue(wanted string) error {
	name, subject, isClient := strings.Cut(wanted, "=")
	if !isClient {
		template := blank(pkix.Name{CommonName: name})
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)}
		template.DNSNames = []string{"localhost", "kubernetes.default.svc"}
		_, err := ca.sign(name, template)
		return err
	}
	commonName, organisation, _ := strings.Cut(subject, "/")
	template := blank(pkix.Name{CommonName: commonName})
	if organisation != "" {
		template.Subject.Organization = []string{organisation}
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	_, err := ca.sign(name, template)
	return err
}

// sign makes a key, signs the template (by itself when there is no authority yet), and writes name.key and name.crt.
func (ca *authority) sign(name string, template *x509.Certificate) ([]byte, error) {
	key, err := writeKey(filepath.Join(ca.folder, name+".key"))
	if err != nil {
		return nil, err
	}
	parent := ca.certificate
	if parent == nil {
		parent, ca.key = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), ca.key)
	if err != nil {
		return nil, err
	}
	return der, writePEM(filepath.Join(ca.folder, name+".crt"), "CERTIFICATE", der)
}

func blank(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		fail(err)
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func writeKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(path, "PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
